// Owns the HTTP side of the pty dialect: opening, listing and ending the user's terminals.

import { parseText } from "../../../protocol/json.ts";
import { SpawnRequest } from "../../../protocol/pty.ts";
import type { Grant } from "../../grants/table.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { errorResponse, jsonResponse } from "../../tunnel/tunnel.ts";

/** Undefined when the path is not one of this dialect's. */
export async function servePty(
  request: Request,
  grant: Grant,
  pool: TerminalPool,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (pathname === "/pty") return only(request, "GET", () => list(grant, pool));
  if (pathname === "/pty/spawn") return only(request, "POST", () => spawn(request, grant, pool));
  const id = /^\/pty\/([^/]+)$/.exec(pathname)?.[1];
  if (id === undefined) return undefined;
  // An id has nothing to escape: what is escaped is no id, and need not be read.
  return only(request, "DELETE", () => close(id, grant, pool));
}

async function only(
  request: Request,
  method: string,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  if (request.method === method) return await serve();
  const response = errorResponse("method_not_allowed", `This path takes ${method} only`);
  response.headers.set("allow", method);
  return response;
}

function list(grant: Grant, pool: TerminalPool): Response {
  if (grant.role === "agent") return errorResponse("forbidden", "Agents list terminals over MCP");
  return jsonResponse(200, pool.list());
}

async function spawn(request: Request, grant: Grant, pool: TerminalPool): Promise<Response> {
  const refusal = needsEdit(grant, "open");
  if (refusal !== undefined) return refusal;
  const text = await request.text();
  const parsed = parseText(SpawnRequest, text === "" ? "{}" : text);
  if (!parsed.ok) return errorResponse("bad_request", `The body does not fit: ${parsed.error}`);
  const result = await pool.spawn(parsed.value);
  return result.ok ? jsonResponse(201, result.terminal) : errorResponse(result.code, result.error);
}

async function close(id: string, grant: Grant, pool: TerminalPool): Promise<Response> {
  const refusal = needsEdit(grant, "close");
  if (refusal !== undefined) return refusal;
  const terminal = pool.get(id);
  if (terminal === undefined) return errorResponse("not_found", `No terminal ${id} here`);
  await pool.close(terminal, `asked by ${grant.id}`);
  return new Response(null, { status: 204 });
}

function needsEdit(grant: Grant, verb: string): Response | undefined {
  if (grant.role === "edit") return undefined;
  const error = `Only edit links may ${verb} terminals; this one is ${grant.role}`;
  return errorResponse("forbidden", error);
}
