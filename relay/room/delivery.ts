// Owns how output is delivered to one subscription: how far it lags, when it is skipped, and when
// it has drained. Knows no sockets. Runs for every peer and message, so it changes state in place
// and allocates nothing.

import { KiB, PEER_DRAINED } from "../../protocol/limits.ts";

/**
 * "skipped" gets nothing until it joins again. "drained" is a skipped one that has rendered nearly
 * everything it was sent, or whose progress is unknown: the bridge knows and will join it again.
 */
export type DeliveryState = "live" | "skipped" | "drained";

export interface DeliveryProgress {
  state: DeliveryState;
  /** Everything before this offset was sent, or was never wanted. */
  sent: number;
  /** Everything before this offset was rendered, or was never wanted. */
  acked: number;
  /** The last `acked` that was saved, for after hibernation. */
  written: number;
  /**
   * The room slept since the last output, so `sent` of a live subscription is only a lower bound.
   */
  woken: boolean;
  /** Acks that may have been lost since the last save; 0 once the peer acks again. */
  slack: number;
}

/**
 * Acks are saved in steps of this size. Saved less often, hibernation would lose them and a peer
 * that rendered everything would count as stalled; saved always, each would cost as much as a send.
 */
export const ACK_STEP = 512 * KiB;

/** Marks an unknown ack: counting starts with the next output. */
const UNKNOWN_ACK = Number.MAX_SAFE_INTEGER;

/** Returns the progress of a subscription that gets everything from `offset`. */
export function startAt(offset: number): DeliveryProgress {
  return { state: "live", sent: offset, acked: offset, written: offset, woken: false, slack: 0 };
}

/** Restores saved progress after hibernation. `received`: what had arrived by then, if known. */
export function restoreProgress(
  state: DeliveryState,
  sent: number,
  acked: number,
  received: number | null,
): DeliveryProgress {
  const saved = { state, sent, acked, written: acked, woken: true, slack: ACK_STEP };
  if (received === null || state !== "live") return saved;
  const all = Math.max(sent, received);
  return { ...saved, sent: all, acked: Math.min(acked, all), woken: false };
}

/**
 * Decides about the bytes from `offset` to `end`, and advances the progress. "drop": the peer
 * already has them or never wanted them. "skip" stops output until the next join: the peer lags too
 * far, or would get bytes twice. `cap` is the allowed lag, Infinity for a peer that never acks.
 */
export function decideDelivery(
  progress: DeliveryProgress,
  cap: number,
  offset: number,
  end: number,
): "send" | "drop" | "skip" {
  if (progress.state !== "live") return "drop";
  if (offset < progress.sent && end <= progress.sent) return "drop";
  if (offset < progress.sent) return skip(progress);
  if (progress.woken) settleAfterSleep(progress, offset);
  // Without a cap the runtime would queue for a stalled peer until the isolate runs out of memory;
  // it gives no sign of back-pressure.
  if (end - progress.acked > cap + progress.slack) return skip(progress);
  progress.sent = end;
  return "send";
}

function skip(progress: DeliveryProgress): "skip" {
  progress.state = "skipped";
  return "skip";
}

/** Corrects the progress at the first output after hibernation: all before it was sent. */
function settleAfterSleep(progress: DeliveryProgress, offset: number): void {
  progress.woken = false;
  progress.sent = offset;
  progress.acked = Math.min(progress.acked, offset);
}

/** Records the peer's ack of everything before `offset`. Returns whether it has drained by that. */
export function acknowledge(progress: DeliveryProgress, offset: number): boolean {
  // A peer cannot have rendered more than was sent. After hibernation `sent` is known only with the
  // next output.
  const isKnown = !progress.woken || progress.state !== "live";
  const plausible = isKnown ? Math.min(offset, progress.sent) : offset;
  if (plausible >= progress.acked) {
    progress.acked = plausible;
    progress.slack = 0;
  }
  return tryDrain(progress);
}

/** Treats everything sent so far as acked, for a peer that did not ack before. */
export function assumeAcked(progress: DeliveryProgress): void {
  const isKnown = !progress.woken || progress.state !== "live";
  progress.acked = isKnown ? progress.sent : UNKNOWN_ACK;
}

/** Marks a skipped subscription as drained if it has caught up. Returns whether it just did. */
export function tryDrain(progress: DeliveryProgress): boolean {
  if (progress.state !== "skipped" || progress.acked < progress.sent - PEER_DRAINED) return false;
  progress.state = "drained";
  return true;
}
