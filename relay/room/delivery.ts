// Owns what one subscription gets of the output: how far it is behind, when it is skipped, and when
// it has drained. Knows no sockets. Called for every peer and message: states are changed in place
// and nothing is allocated.

import { KiB, PEER_DRAINED } from "../../protocol/limits.ts";

/**
 * "skipped" gets nothing until it is joined anew; "drained" is a skipped one that has rendered
 * nearly all it was sent, or of which nobody can tell: the bridge knows and will join it.
 */
export type DeliveryState = "live" | "skipped" | "drained";

export interface Standing {
  state: DeliveryState;
  /** Everything before it has been sent, or was never wanted. */
  sent: number;
  /** Everything before it is rendered, or was never wanted. */
  acked: number;
  /** What was last written of `acked`, for after a sleep. */
  written: number;
  /** The room slept since the last output: of a live one, `sent` is only a lower bound. */
  woken: boolean;
  /** What it may have acked beyond what was written; 0 once it has acked since. */
  slack: number;
}

/**
 * Acks are written in steps. Written seldom, a sleep would forget them and a peer that has rendered
 * everything would count as stalled; written always, each would cost as much as a send.
 */
export const ACK_STEP = 512 * KiB;

/** An ack that nobody can tell: the count starts with the next output. */
const UNKNOWN = Number.MAX_SAFE_INTEGER;

/** Gets everything from `offset` on. */
export function joinAt(offset: number): Standing {
  return { state: "live", sent: offset, acked: offset, written: offset, woken: false, slack: 0 };
}

/** As it was written before a sleep; `received`: what had come in by then, if that is known. */
export function wake(
  state: DeliveryState,
  sent: number,
  acked: number,
  received: number | null,
): Standing {
  const asWritten = { state, sent, acked, written: acked, woken: true, slack: ACK_STEP };
  if (received === null || state !== "live") return asWritten;
  const all = Math.max(sent, received);
  return { ...asWritten, sent: all, acked: Math.min(acked, all), woken: false };
}

/**
 * What becomes of the bytes from `offset` to `end`; the standing is moved on. "drop" is what the
 * peer has or never wanted; "skip" ends its output until it is joined anew: it is too far behind,
 * or would get some bytes twice. `cap` is how far it may be behind: Infinity for one that never acks.
 */
export function offer(
  standing: Standing,
  cap: number,
  offset: number,
  end: number,
): "send" | "drop" | "skip" {
  if (standing.state !== "live") return "drop";
  if (offset < standing.sent && end <= standing.sent) return "drop";
  if (offset < standing.sent) return skip(standing);
  if (standing.woken) settle(standing, offset);
  // Without a cap the runtime would queue for a stalled peer until the isolate dies; it gives no
  // sign of back-pressure.
  if (end - standing.acked > cap + standing.slack) return skip(standing);
  standing.sent = end;
  return "send";
}

function skip(standing: Standing): "skip" {
  standing.state = "skipped";
  return "skip";
}

/** The first output after a sleep: it was live, so all before it was sent. */
function settle(standing: Standing, offset: number): void {
  standing.woken = false;
  standing.sent = offset;
  standing.acked = Math.min(standing.acked, offset);
}

/** Everything before `offset` is rendered, says the peer. True when it has drained by that. */
export function acknowledge(standing: Standing, offset: number): boolean {
  // Nobody has rendered what was not sent. Of one that slept, the next output will tell.
  const isKnown = !standing.woken || standing.state !== "live";
  const believed = isKnown ? Math.min(offset, standing.sent) : offset;
  if (believed >= standing.acked) {
    standing.acked = believed;
    standing.slack = 0;
  }
  return drain(standing);
}

/** What it was sent so far is not held against it. */
export function forgive(standing: Standing): void {
  const isKnown = !standing.woken || standing.state !== "live";
  standing.acked = isKnown ? standing.sent : UNKNOWN;
}

/** True when a skipped one has just drained. */
export function drain(standing: Standing): boolean {
  if (standing.state !== "skipped" || standing.acked < standing.sent - PEER_DRAINED) return false;
  standing.state = "drained";
  return true;
}
