// Owns the wrapper around every SDK request: it refuses requests whose grant has ended, and logs
// what tools do not log: resources, subscriptions and rejected calls.

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

/** Wraps the server's handlers; call it before anything is registered. */
export function auditRequests(server: McpServer, context: ToolContext): void {
  wrapHandlers(server, (method, handler) =>
    method === CALL || RESOURCES.has(method) ? writing(context, method, handler) : handler,
  );
}

const Listening = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.unknown() }),
});

/** Logs subscriptions of the 2026 wire, which pass no server: they are read from the request. */
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
      // Checked per call: a server and its connection may outlive their grant.
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

/** Returns the SDK's error for invalid arguments; the tool was not called then. */
function refusedInput(result: unknown): string | undefined {
  const parsed = Refused.safeParse(result);
  const text = parsed.data?.content[0]?.text ?? "";
  return text.startsWith("Input validation error") ? text : undefined;
}
