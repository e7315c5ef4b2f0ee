// Owns how a Failure is said in JSON-RPC, and how an agent's error is said to people. Pure.

import { RequestError } from "@agentclientprotocol/sdk";
import type { FailureKind } from "../../conversations/failure.ts";
import { Failure } from "../../conversations/failure.ts";
import { AgentFault } from "../../conversations/ports.ts";
import { cut } from "../../conversations/updates.ts";
import { FAULT } from "../../faults.ts";

/** Those of JSON-RPC and ACP; `refused` is the one of ours. */
export const RPC_CODES: Readonly<Record<FailureKind, number>> = {
  invalid: -32_602,
  not_found: -32_002,
  refused: -32_001,
  off: -32_601,
  cancelled: -32_800,
};
const AUTH_REQUIRED = -32_000;
const MOST_SENTENCE = 500;

/** What is no Failure is a fault of ours, and its details are the log's. */
export function requestErrorOf(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Failure)) return new RequestError(-32_603, FAULT);
  const { kind, message, retryAfterMs } = error;
  const data = retryAfterMs === undefined ? undefined : { retryAfterMs };
  return new RequestError(RPC_CODES[kind], message, data);
}

/** `what` is what the agent was asked for. */
export function faultOf(error: unknown, what: string): AgentFault {
  if (error instanceof AgentFault) return error;
  if (error instanceof RequestError) {
    const details = detailsOf(error.data);
    const said = cut(`${error.message}${details}`, MOST_SENTENCE);
    return new AgentFault(`${what} failed: ${said}`, error.code === AUTH_REQUIRED);
  }
  return new AgentFault(`${what} failed: the connection is gone`);
}

/** Where agents put their reason. */
function detailsOf(data: unknown): string {
  if (typeof data === "string") return `: ${data}`;
  if (typeof data !== "object" || data === null) return "";
  if ("details" in data && typeof data.details === "string") return `: ${data.details}`;
  return "message" in data && typeof data.message === "string" ? `: ${data.message}` : "";
}
