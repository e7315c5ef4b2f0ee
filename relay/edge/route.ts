// Owns which path leads where. Pure: looks only at the path and decides no rights.

import { APPROVE_PATTERN, PARTY, WORKSPACE_PATTERN } from "../../protocol/workspace.ts";

export type Route =
  /** A person's socket. */
  | { readonly to: "peer"; readonly workspace: string }
  /** A coding agent's socket. */
  | { readonly to: "acp"; readonly workspace: string }
  /** The bridge's socket. */
  | { readonly to: "bridge"; readonly workspace: string }
  /** The page, which finds out by itself which workspace to show. */
  | { readonly to: "page" }
  | { readonly to: "health"; readonly workspace: string }
  /** HTTP for the bridge, which sees `path`. */
  | { readonly to: "tunnel"; readonly workspace: string; readonly path: string }
  /** OAuth, which MCP clients try; there is no login. */
  | { readonly to: "login" }
  /** A file of the page, if it exists. */
  | { readonly to: "asset" }
  | { readonly to: "nowhere" };

const NOWHERE: Route = { to: "nowhere" };

/** OAuth's metadata; clients put the resource's path before or after it. */
const LOGIN_METADATA = /\/\.well-known\/(?:oauth-|openid-configuration)/;
/** Paths where MCP clients look for OAuth endpoints if a server has no metadata. */
const LOGIN_ENDPOINTS: ReadonlySet<string> = new Set(["/authorize", "/register", "/token"]);

/** Returns where a pathname leads. Percent-escapes stay encoded, so they match no workspace. */
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
