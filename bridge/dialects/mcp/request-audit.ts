// Owns the wrapper around every SDK request: it refuses requests whose grant has ended, and logs
// what tools do not log: resources, subscriptions and rejected calls. Also owns wrapping the SDK's
// request handlers: the SDK has no other hook that every request passes. Does not decide what the
// wrappers do.

import type { McpServer } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import { toAuditName } from "../../callers/caller.ts";
import { INTERNAL_ERROR, logFault } from "../../faults.ts";
import type { ToolContext } from "./tools/tool-row.ts";

const RefusedResult = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ text: z.string() })),
});

const GRANT_ENDED = "This agent's token has expired or was revoked";

const RESOURCES = new Set([
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Wraps the server's handlers; call it before anything is registered. */
export function auditRequests(server: McpServer, context: ToolContext): void {
  wrapHandlers(server, (method, handler) =>
    method === TOOLS_CALL || RESOURCES.has(method) ? withAudit(context, method, handler) : handler,
  );
}

const ListenRequest = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.unknown() }),
});

/** Logs subscriptions of the 2026 wire, which pass no server: they are read from the request. */
export function auditListenRequest(
  text: string,
  { audit, caller }: Pick<ToolContext, "audit" | "caller">,
): void {
  if (!text.includes("subscriptions")) return;
  const parsed = parseText(ListenRequest, text);
  if (!parsed.ok) return;
  const { method, params } = parsed.value;
  audit.write({
    event: "call",
    ...toAuditName(caller),
    tool: method,
    arguments: params.notifications,
  });
}

function withAudit({ audit, log, caller }: ToolContext, method: string, handler: Handler): Handler {
  const write = ({ params }: HandlerRequest, outcome: string) =>
    audit.write({
      event: "call",
      ...toAuditName(caller),
      tool: method === TOOLS_CALL ? (params?.name ?? "") : method,
      arguments: method === TOOLS_CALL ? params?.arguments : { uri: params?.uri },
      outcome,
    });
  return async (request, ctx) => {
    try {
      // Checked per call: a server and its connection may outlive their grant.
      if (caller.grant() === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, GRANT_ENDED);
      }
      const result = await handler(request, ctx);
      const refused = method === TOOLS_CALL ? findInputError(result) : "ok";
      if (refused !== undefined) write(request, refused);
      return result;
    } catch (error) {
      write(request, error instanceof Error ? error.message : String(error));
      if (error instanceof ProtocolError) throw error;
      logFault(log, `${method} of ${caller.grantId}`, error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, INTERNAL_ERROR);
    }
  };
}

/** Returns the SDK's error for invalid arguments; the tool was not called then. */
function findInputError(result: unknown): string | undefined {
  const parsed = RefusedResult.safeParse(result);
  const text = parsed.data?.content[0]?.text ?? "";
  return text.startsWith("Input validation error") ? text : undefined;
}

type Handler = (request: HandlerRequest, ctx: unknown) => unknown;

interface HandlerRequest {
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown };
}

const TOOLS_CALL = "tools/call";

/** Wraps handlers that are registered later. The first wrapper is the outermost. */
function wrapHandlers(
  { server }: McpServer,
  wrap: (method: string, handler: Handler) => Handler,
): void {
  const set: (...all: never[]) => void = server.setRequestHandler.bind(server);
  server.setRequestHandler = (method: string, handler: unknown, ...rest: unknown[]) => {
    const given = isHandler(handler) ? wrap(method, handler) : handler;
    Reflect.apply(set, server, [method, given, ...rest]);
  };
}

/** Rejects tool names such as `constructor`: the SDK looks tools up in a plain object. */
export function refuseInheritedNames(server: McpServer): void {
  wrapHandlers(server, (method, handler) =>
    method === TOOLS_CALL ? (request, ctx) => handler(rejectInheritedName(request), ctx) : handler,
  );
}

function rejectInheritedName(request: HandlerRequest): HandlerRequest {
  const name = request.params?.name;
  if (name === undefined || !(name in Object.prototype)) return request;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
