// Owns what of an agent's messages reaches the SDK: at a pace that leaves everybody else their turn,
// no answers that nobody asked for, and no notifications, of which the SDK would print and drop those
// that are newer than itself.

import { setImmediate } from "node:timers/promises";
import type { AnyMessage, AnyNotification, Stream } from "@agentclientprotocol/sdk";

/** Tokens stream at some hundred a second; a flood waits in its own socket. */
export const MESSAGES_A_WINDOW = 200;
export const WINDOW_MS = 100;

interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Resolves when everybody else has had a turn. */
  readonly turn: () => Promise<void>;
}

const REAL: Clock = {
  now: () => performance.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
  turn: () => setImmediate(),
};

/**
 * What was asked and not answered yet is known by what passes the other way. `onNote` gets the
 * notifications, in their place among the answers.
 */
export function sane(
  stream: Stream,
  onNote: (note: AnyNotification) => void,
  { now, sleep, turn }: Clock = REAL,
): Stream {
  const asked = new Set<unknown>();
  let count = 0;
  let since = now();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      if (isUnasked(message, asked)) return;
      const at = now();
      if (at - since >= WINDOW_MS) {
        since = at;
        count = 0;
      }
      count += 1;
      if (count > MESSAGES_A_WINDOW) {
        await sleep(WINDOW_MS - (at - since));
        since = now();
        count = 0;
      }
      // Whatever the clock says: what one message costs may be more than a window.
      await turn();
      if (isNote(message)) onNote(message);
      else controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message && "id" in message) asked.add(message.id);
      controller.enqueue(message);
    },
  });
  // How a stream ends is told by the stream that reads it.
  stream.readable.pipeTo(incoming.writable).catch(() => {});
  outgoing.readable.pipeTo(stream.writable).catch(() => {});
  return { readable: incoming.readable, writable: outgoing.writable };
}

/** One that the SDK has nothing to do with. */
function isNote(message: unknown): message is AnyNotification {
  if (typeof message !== "object" || message === null || "id" in message) return false;
  if (!("method" in message) || typeof message.method !== "string") return false;
  // By these it knows which request is cancelled.
  return !message.method.startsWith("$/");
}

/** An answer, or what looks like one, to no question of ours. */
function isUnasked(message: unknown, asked: Set<unknown>): boolean {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return false;
  if ("method" in message) return false;
  if (!("id" in message)) return "result" in message || "error" in message;
  return !asked.delete(message.id);
}
