// Owns the HTTP side of the pty dialect: opening, listing and closing the user's terminals.

import { parseText } from "../../../protocol/json.ts";
import { SpawnBody } from "../../../protocol/pty-requests.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Route } from "../../callers/routes.ts";
import type { PeopleTerminals } from "../../people/people-terminals.ts";
import { errorResponse, jsonResponse, methodNotAllowed } from "../../callers/json-response.ts";

type People = Pick<PeopleTerminals, "close" | "find" | "list" | "open">;

export function ptyRoute(people: People): Route {
  return {
    path: "/pty",
    includesSubpaths: true,
    requires: ({ method }) => (method === "GET" ? "look" : "change"),
    serve: (caller, request) => serve(caller, request, people),
  };
}

async function serve(caller: Caller, request: Request, people: People): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { method } = request;
  if (pathname === "/pty") {
    return method === "GET" ? jsonResponse(200, people.list(caller)) : methodNotAllowed("GET");
  }
  if (pathname === "/pty/spawn") {
    return method === "POST" ? await spawn(request, caller, people) : methodNotAllowed("POST");
  }
  const id = /^\/pty\/([^/]+)$/.exec(pathname)?.[1];
  if (id === undefined) return errorResponse("not_found", `Nothing is served at ${pathname}`);
  // Ids have no characters to escape, so an escaped path matches none and needs no decoding.
  return method === "DELETE" ? await close(id, caller, people) : methodNotAllowed("DELETE");
}

async function spawn(request: Request, caller: Caller, people: People): Promise<Response> {
  const text = await request.text();
  const parsed = parseText(SpawnBody, text === "" ? "{}" : text);
  if (!parsed.ok) return errorResponse("bad_request", `Invalid body: ${parsed.error}`);
  const result = await people.open(caller, parsed.value);
  return result.ok ? jsonResponse(201, result.terminal) : errorResponse(result.code, result.error);
}

async function close(id: string, caller: Caller, people: People): Promise<Response> {
  const terminal = people.find(caller, id);
  if (terminal === undefined) return errorResponse("not_found", `No terminal ${id} here`);
  const refused = await people.close(caller, terminal);
  return refused === undefined
    ? new Response(null, { status: 204 })
    : errorResponse(refused.code, refused.error);
}
