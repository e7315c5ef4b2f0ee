// Owns the place that every request to the SDK passes: one whose grant is gone is refused there, and
// what tools do not see is written down: resources, subscriptions, and calls that are refused before.

import type { McpServer } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import type { Caller } from "./tools.ts";

type Handler = (request: Asked, ctx: unknown) => unknown;

interface Asked {
  readonly params?: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown };
}

const Refused = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ text: z.string() })),
});

const GRANT_GONE = "This agent's grant has expired or was revoked";

const CALL = "tools/call";
const RESOURCES = new Set([
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Before anything is registered: the SDK has no other place at which every request passes. */
export function auditRequests(
  { server }: McpServer,
  caller: Pick<Caller, "audit" | "grant">,
  isLive: () => boolean,
): void {
  const set: (...all: never[]) => void = server.setRequestHandler.bind(server);
  server.setRequestHandler = (method: string, handler: unknown, ...rest: unknown[]) => {
    const wraps = isHandler(handler) && (method === CALL || RESOURCES.has(method));
    const given = wraps ? writing(caller, isLive, method, handler) : handler;
    Reflect.apply(set, server, [method, given, ...rest]);
  };
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}

const Listening = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.unknown() }),
});

/** The 2026 wire's subscriptions pass by every server: they are told from the request itself. */
export function auditListening(text: string, { audit, grant }: Pick<Caller, "audit" | "grant">) {
  if (!text.includes("subscriptions")) return;
  const parsed = parseText(Listening, text);
  if (!parsed.ok) return;
  const { method, params } = parsed.value;
  const who = { grant: grant.id, label: grant.label };
  audit.write({ event: "call", ...who, tool: method, arguments: params.notifications });
}

function writing(
  { audit, grant }: Pick<Caller, "audit" | "grant">,
  isLive: () => boolean,
  method: string,
  handler: Handler,
): Handler {
  const write = ({ params }: Asked, outcome: string) =>
    audit.write({
      event: "call",
      grant: grant.id,
      label: grant.label,
      tool: method === CALL ? (params?.name ?? "") : method,
      arguments: method === CALL ? params?.arguments : { uri: params?.uri },
      outcome,
    });
  return async (request, ctx) => {
    try {
      // Asked per call: a server and its connection may outlast the grant that they were made for.
      if (!isLive()) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, GRANT_GONE);
      const result = await handler(request, ctx);
      const refused = method === CALL ? refusedInput(result) : "ok";
      if (refused !== undefined) write(request, refused);
      return result;
    } catch (error) {
      write(request, error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}

/** What the SDK says of arguments that do not fit; the tool was not called then. */
function refusedInput(result: unknown): string | undefined {
  const parsed = Refused.safeParse(result);
  const text = parsed.data?.content[0]?.text ?? "";
  return text.startsWith("Input validation error") ? text : undefined;
}
