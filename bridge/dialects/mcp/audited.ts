// Owns the place that every request to the SDK passes: one whose grant is gone is refused there, and
// what tools do not see is written down: resources, subscriptions, and calls that are refused before.

import type { McpServer } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import { who } from "../../callers/caller.ts";
import { FAULT, logFault } from "../../faults.ts";
import type { Asked, Handler } from "./handlers.ts";
import { CALL, wrapHandlers } from "./handlers.ts";
import type { ToolContext } from "./tools/row.ts";

const Refused = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ text: z.string() })),
});

const GRANT_GONE = "This agent's grant has expired or was revoked";

const RESOURCES = new Set([
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Before anything is registered. */
export function auditRequests(server: McpServer, context: ToolContext): void {
  wrapHandlers(server, (method, handler) =>
    method === CALL || RESOURCES.has(method) ? writing(context, method, handler) : handler,
  );
}

const Listening = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.unknown() }),
});

/** The 2026 wire's subscriptions pass by every server: they are told from the request itself. */
export function auditListening(
  text: string,
  { audit, caller }: Pick<ToolContext, "audit" | "caller">,
): void {
  if (!text.includes("subscriptions")) return;
  const parsed = parseText(Listening, text);
  if (!parsed.ok) return;
  const { method, params } = parsed.value;
  audit.write({ event: "call", ...who(caller), tool: method, arguments: params.notifications });
}

function writing({ audit, log, caller }: ToolContext, method: string, handler: Handler): Handler {
  const write = ({ params }: Asked, outcome: string) =>
    audit.write({
      event: "call",
      ...who(caller),
      tool: method === CALL ? (params?.name ?? "") : method,
      arguments: method === CALL ? params?.arguments : { uri: params?.uri },
      outcome,
    });
  return async (request, ctx) => {
    try {
      // Asked per call: a server and its connection may outlast the grant that they were made for.
      if (caller.grant() === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, GRANT_GONE);
      }
      const result = await handler(request, ctx);
      const refused = method === CALL ? refusedInput(result) : "ok";
      if (refused !== undefined) write(request, refused);
      return result;
    } catch (error) {
      write(request, error instanceof Error ? error.message : String(error));
      if (error instanceof ProtocolError) throw error;
      logFault(log, `${method} of ${caller.grantId}`, error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, FAULT);
    }
  };
}

/** What the SDK says of arguments that do not fit; the tool was not called then. */
function refusedInput(result: unknown): string | undefined {
  const parsed = Refused.safeParse(result);
  const text = parsed.data?.content[0]?.text ?? "";
  return text.startsWith("Input validation error") ? text : undefined;
}
