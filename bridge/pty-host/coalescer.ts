// Owns one pure decision: whether waiting bytes are sent now, how many, or when. No clock, timer or
// socket: reader.ts has those.

import { FRAME_SOFT_BYTES, PTY_READ_BYTES } from "../../protocol/limits.ts";

/** Batch time under load; too short for a person to notice, and at most 250 frames a second. */
export const BATCH_MS = 4;

export interface Batch {
  /** Bytes that may be sent. */
  readonly waiting: number;
  /** Time since the last frame of this terminal. */
  readonly sinceLastMs: number;
  /** Nothing can be added to this batch: the stream or the credit has ended. */
  readonly complete: boolean;
}

export type SendDecision =
  | { readonly now: true; readonly bytes: number }
  | { readonly now: false; readonly waitMs: number };

export function decideSend(batch: Batch): SendDecision {
  const full = batch.waiting >= FRAME_SOFT_BYTES;
  const idle = batch.sinceLastMs >= BATCH_MS;
  if (!full && !idle && !batch.complete) {
    return { now: false, waitMs: BATCH_MS - Math.max(0, batch.sinceLastMs) };
  }
  return { now: true, bytes: frameBytes(batch.waiting) };
}

/** Returns a frame's size; it may exceed the soft limit by one read. */
function frameBytes(waiting: number): number {
  return waiting <= FRAME_SOFT_BYTES + PTY_READ_BYTES ? waiting : FRAME_SOFT_BYTES;
}
