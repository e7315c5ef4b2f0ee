// Owns that what an agent asks of the SDK is written down as well: resources, subscriptions, and
// calls that are refused before a tool sees them. Tools write down their own calls.

import type { McpServer } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import { FAULT, logFault } from "../../faults.ts";
import type { Asked, Handler } from "./handlers.ts";
import { CALL, wrapHandlers } from "./handlers.ts";
import type { Caller } from "./tools.ts";

const Refused = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ text: z.string() })),
});

const RESOURCES = new Set([
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Before anything is registered. */
export function auditRequests(server: McpServer, caller: Caller): void {
  wrapHandlers(server, (method, handler) =>
    method === CALL || RESOURCES.has(method) ? writing(caller, method, handler) : handler,
  );
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

function writing({ audit, log, grant }: Caller, method: string, handler: Handler): Handler {
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
      const result = await handler(request, ctx);
      const refused = method === CALL ? refusedInput(result) : "ok";
      if (refused !== undefined) write(request, refused);
      return result;
    } catch (error) {
      write(request, error instanceof Error ? error.message : String(error));
      if (error instanceof ProtocolError) throw error;
      logFault(log, `${method} of ${grant.id}`, error);
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
