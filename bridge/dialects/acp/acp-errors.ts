// Owns converting a Failure to a JSON-RPC error, and an agent's error to a message for people.
// Pure.

import { RequestError } from "@agentclientprotocol/sdk";
import type { FailureKind } from "../../conversations/failure.ts";
import { Failure } from "../../conversations/failure.ts";
import { AgentFault } from "../../conversations/agent-ports.ts";
import { cut } from "../../conversations/update-parser.ts";
import { INTERNAL_ERROR } from "../../faults.ts";

/** Codes of JSON-RPC and ACP; `refused` is pairpty's own. */
export const RPC_CODES: Readonly<Record<FailureKind, number>> = {
  invalid: -32_602,
  not_found: -32_002,
  refused: -32_001,
  off: -32_601,
  cancelled: -32_800,
};
const AUTH_REQUIRED = -32_000;
const MAX_MESSAGE_CHARS = 500;

/** Converts an error to JSON-RPC; details of unexpected errors go to the log only. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Failure)) return new RequestError(-32_603, INTERNAL_ERROR);
  const { kind, message, retryAfterMs } = error;
  const data = retryAfterMs === undefined ? undefined : { retryAfterMs };
  return new RequestError(RPC_CODES[kind], message, data);
}

/** Converts an agent's error to an AgentFault; `what` is the method that was requested. */
export function toAgentFault(error: unknown, what: string): AgentFault {
  if (error instanceof AgentFault) return error;
  if (error instanceof RequestError) {
    const details = formatDetails(error.data);
    const reason = cut(`${error.message}${details}`, MAX_MESSAGE_CHARS);
    return new AgentFault(`${what} failed: ${reason}`, error.code === AUTH_REQUIRED);
  }
  return new AgentFault(`${what} failed: the connection is gone`);
}

/** Returns the reason from the places where agents put it. */
function formatDetails(data: unknown): string {
  if (typeof data === "string") return `: ${data}`;
  if (typeof data !== "object" || data === null) return "";
  if ("details" in data && typeof data.details === "string") return `: ${data.details}`;
  return "message" in data && typeof data.message === "string" ? `: ${data.message}` : "";
}
