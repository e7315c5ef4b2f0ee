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
  /** OAuth, which MCP clients try: there is none. */
  | { readonly to: "login" }
  /** A file of the page, or nothing. */
  | { readonly to: "asset" }
  | { readonly to: "nowhere" };

const NOWHERE: Route = { to: "nowhere" };

/** OAuth's metadata, before or behind the path of what it is about. */
const LOGIN_METADATA = /\/\.well-known\/(?:oauth-|openid-configuration)/;
/** Where MCP clients look for OAuth's endpoints of a server without metadata. */
const LOGIN_ENDPOINTS: ReadonlySet<string> = new Set(["/authorize", "/register", "/token"]);

/** `path` is a URL's pathname: percent-escapes are left as they are, so they match no workspace. */
export function route(path: string): Route {
  if (path === "/") return { to: "page" };
  if (LOGIN_ENDPOINTS.has(path) || LOGIN_METADATA.test(path)) return { to: "login" };
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
