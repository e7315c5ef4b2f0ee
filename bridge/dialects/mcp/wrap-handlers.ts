// Owns wrapping the SDK's request handlers: the SDK has no other hook that every request passes.
// Does not decide what the wrappers do.

import type { McpServer } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

export type Handler = (request: HandlerRequest, ctx: unknown) => unknown;

export interface HandlerRequest {
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown };
}

export const TOOLS_CALL = "tools/call";

/** Wraps handlers that are registered later. The first wrapper is the outermost. */
export function wrapHandlers(
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
