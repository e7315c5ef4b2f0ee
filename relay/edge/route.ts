// Owns which path leads where. Pure: looks at nothing but the path, decides nothing about rights.

import { APPROVE_PATTERN, PARTY, WORKSPACE_PATTERN } from "../../protocol/workspace.ts";

export type Route =
  /** A person's socket. */
  | { readonly to: "peer"; readonly workspace: string }
  /** A coding agent's socket. */
  | { readonly to: "acp"; readonly workspace: string }
  /** The bridge's socket. */
  | { readonly to: "bridge"; readonly workspace: string }
  /** The page; which workspace it shows is the page's own business. */
  | { readonly to: "page" }
  | { readonly to: "health"; readonly workspace: string }
  /** HTTP for the bridge; `path` is what it sees. */
  | { readonly to: "tunnel"; readonly workspace: string; readonly path: string }
  /** A file of the page, or nothing. */
  | { readonly to: "asset" }
  | { readonly to: "nowhere" };

const NOWHERE: Route = { to: "nowhere" };

/** `path` is a URL's pathname: percent-escapes are left as they are, so they match no workspace. */
export function route(path: string): Route {
  if (path === "/") return { to: "page" };
  const [, area = "", second = "", third, ...deeper] = path.split("/");
  if (area === "parties") {
    const named = second === PARTY && third !== undefined && WORKSPACE_PATTERN.test(third);
    return named && deeper.length === 0 ? { to: "peer", workspace: third } : NOWHERE;
  }
  if (area !== "w") return { to: "asset" };
  if (!WORKSPACE_PATTERN.test(second)) return NOWHERE;
  const inside = path.slice(`/w/${second}`.length);
  if (APPROVE_PATTERN.test(inside)) return { to: "page" };
  switch (inside) {
    case "":
    case "/":
      return { to: "page" };
    case "/bridge":
      return { to: "bridge", workspace: second };
    case "/acp":
      return { to: "acp", workspace: second };
    case "/health":
      return { to: "health", workspace: second };
    default:
      return { to: "tunnel", workspace: second, path: inside };
  }
}
