// Owns which requests of the tunnel go where: health, MCP, and the pty dialect's operations.

import type { McpDialect } from "./dialects/mcp/dialect.ts";
import { servePty } from "./dialects/pty/http.ts";
import type { Grant } from "./grants/table.ts";
import type { TerminalPool } from "./terminals/pool.ts";
import { Unavailable } from "./terminals/unavailable.ts";
import { errorResponse, jsonResponse } from "./tunnel/tunnel.ts";
import { VERSION } from "./version.ts";

export interface Served {
  readonly pool: TerminalPool;
  readonly mcp: McpDialect;
}

export async function serve(
  request: Request,
  grant: Grant,
  { pool, mcp }: Served,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/health") return await health(pool);
  if (pathname === "/mcp") return await mcp.serve(request, grant);
  const served = await servePty(request, grant, pool);
  return served ?? errorResponse("not_found", `Nothing is served at ${pathname}`);
}

async function health(pool: TerminalPool): Promise<Response> {
  const relay = "ok";
  try {
    await pool.ping();
    const terminals = pool.list().length;
    return jsonResponse(200, { relay, bridge: "ok", ptyHost: "ok", terminals, version: VERSION });
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return jsonResponse(503, { relay, bridge: "ok", ptyHost: "gone", version: VERSION });
  }
}
