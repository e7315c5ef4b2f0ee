// Owns the HTTP side of panels: the terminal plugin's operations and manifest.

import type * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import {
  PanelErrorCode,
  ReadScreenArguments,
  SNAPSHOT_TIMEOUT_MS,
  WriteArguments,
} from "../../../protocol/panel.ts";
import { errorResponse, jsonResponse, methodNotAllowed } from "../../callers/json-response.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Route } from "../../callers/routes.ts";
import type { PanelOutcome } from "../../panels/panel-results.ts";
import type { Panels } from "../../panels/panels.ts";
import type { PanelTarget } from "../../panels/panel-targets.ts";

const PATH = "/api/plugins";
const OPERATIONS = `${PATH}/terminal/operations`;
const WRITE = `${OPERATIONS}/write`;
const READ_SCREEN = `${OPERATIONS}/read-screen`;
/** Paths that every person's link may use. */
const VIEW_PATHS: ReadonlySet<string> = new Set([PATH, READ_SCREEN]);

const MANIFEST = {
  id: "terminal",
  panels: [
    {
      type: "terminal",
      multiInstance: true,
      defaultSessionBinding: "fixed",
      sessionScope: "optional",
      capabilities: ["terminal.exec"],
    },
  ],
  operations: ["write", "read-screen"],
} as const;

type PanelOperations = Pick<Panels, "write" | "readScreen">;

export function panelRoute(panels: PanelOperations): Route {
  return {
    path: PATH,
    includesSubpaths: true,
    requires: ({ url }) => (VIEW_PATHS.has(new URL(url).pathname) ? "look" : "change"),
    serve: (caller, request) => serve(caller, request, panels),
  };
}

async function serve(caller: Caller, request: Request, panels: PanelOperations): Promise<Response> {
  const url = new URL(request.url);
  switch (url.pathname) {
    case PATH:
      return request.method === "GET"
        ? jsonResponse(200, { plugins: [MANIFEST] })
        : methodNotAllowed("GET");
    case WRITE:
      return request.method === "POST"
        ? await write(caller, request, url, panels)
        : methodNotAllowed("POST");
    case READ_SCREEN:
      return request.method === "POST"
        ? await readScreen(caller, request, url, panels)
        : methodNotAllowed("POST");
    default:
      return errorResponse("not_found", `Nothing is served at ${url.pathname}`);
  }
}

async function write(
  caller: Caller,
  request: Request,
  url: URL,
  panels: PanelOperations,
): Promise<Response> {
  const parsed = await parseArguments(request, url, WriteArguments);
  if (!parsed.ok) return toErrorResponse("invalid_arguments", parsed.error);
  const { text, ...target } = parsed.value;
  return toResponse(panels.write(caller, target, text));
}

async function readScreen(
  caller: Caller,
  request: Request,
  url: URL,
  panels: PanelOperations,
): Promise<Response> {
  const parsed = await parseArguments(request, url, ReadScreenArguments);
  if (!parsed.ok) return toErrorResponse("invalid_arguments", parsed.error);
  const { timeoutMs = SNAPSHOT_TIMEOUT_MS, source, ...target } = parsed.value;
  const client = source === "client" ? { timeoutMs } : undefined;
  return toResponse(await panels.readScreen(caller, target, client));
}

/** Parses the arguments; the session may come from the body, a header or the query. */
async function parseArguments<T extends PanelTarget>(
  request: Request,
  url: URL,
  schema: z.ZodMiniType<T>,
) {
  const text = await request.text();
  const parsed = parseText(schema, text.trim() === "" ? "{}" : text);
  if (!parsed.ok) return { ok: false, error: `Invalid body: ${parsed.error}` } as const;
  const named = request.headers.get("x-session-id") ?? url.searchParams.get("sessionId");
  const sessionId = parsed.value.sessionId ?? named ?? undefined;
  return { ok: true as const, value: { ...parsed.value, sessionId } };
}

function toResponse<T>(outcome: PanelOutcome<T>): Response {
  if (!outcome.ok) return toErrorResponse(outcome.code, outcome.error);
  return jsonResponse(200, { ok: true, result: outcome.value });
}

function toErrorResponse(code: PanelErrorCode, error: string): Response {
  return jsonResponse(PanelErrorCode[code], { error, code });
}
