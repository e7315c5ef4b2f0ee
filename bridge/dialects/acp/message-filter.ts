// Owns filtering an agent's messages before they reach the SDK: it limits their rate, drops answers
// to no request, and handles notifications itself, since the SDK would log and drop those it does
// not know. Also owns converting a Failure to a JSON-RPC error, and an agent's error to a message
// for people.

import { setImmediate } from "node:timers/promises";
import type { AnyMessage, AnyNotification, Stream } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import type { FailureKind } from "../../conversations/agent-ports.ts";
import { Failure, AgentFault } from "../../conversations/agent-ports.ts";
import { cut } from "../../conversations/bounded-text.ts";
import { INTERNAL_ERROR } from "../../faults.ts";

/** Tokens stream at a few hundred a second; a flood waits in its own socket. */
export const MAX_MESSAGES_PER_WINDOW = 200;
export const WINDOW_MS = 100;

interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Resolves after other tasks of the event loop had their turn. */
  readonly nextTurn: () => Promise<void>;
}

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
  nextTurn: () => setImmediate(),
};

/** Returns the filtered stream; `onNotification` gets notifications, in order with the answers. */
export function filterMessages(
  stream: Stream,
  onNotification: (notification: AnyNotification) => void,
  { now, sleep, nextTurn }: Clock = REAL_CLOCK,
): Stream {
  const openIds = new Set<unknown>();
  let count = 0;
  let since = now();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      if (isUnsolicitedAnswer(message, openIds)) return;
      const at = now();
      if (at - since >= WINDOW_MS) {
        since = at;
        count = 0;
      }
      count += 1;
      if (count > MAX_MESSAGES_PER_WINDOW) {
        await sleep(WINDOW_MS - (at - since));
        since = now();
        count = 0;
      }
      // Always yields: one message may take longer than a window to handle.
      await nextTurn();
      if (isNotification(message)) onNotification(message);
      else controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message && "id" in message) openIds.add(message.id);
      controller.enqueue(message);
    },
  });
  // The reader of a stream reports its end.
  stream.readable.pipeTo(incoming.writable).catch(() => {});
  outgoing.readable.pipeTo(stream.writable).catch(() => {});
  return { readable: incoming.readable, writable: outgoing.writable };
}

/** Whether the message is a notification that the SDK does not need. */
function isNotification(message: unknown): message is AnyNotification {
  if (typeof message !== "object" || message === null || "id" in message) return false;
  if (!("method" in message) || typeof message.method !== "string") return false;
  // The SDK needs these to cancel requests.
  return !message.method.startsWith("$/");
}

/** Whether the message is an answer, or looks like one, without an open request. */
function isUnsolicitedAnswer(message: unknown, openIds: Set<unknown>): boolean {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return false;
  if ("method" in message) return false;
  if (!("id" in message)) return "result" in message || "error" in message;
  return !openIds.delete(message.id);
}

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
