// Owns one pure decision: do waiting bytes leave now, how many, or when.
// No clock, no timer, no socket: reader.ts has those.

import { FRAME_SOFT_BYTES, PTY_READ_BYTES } from "../../protocol/limits.ts";

/** A batch under load; short enough that a person does not see it, and 250 frames a second at most. */
export const BATCH_MS = 4;

export interface Batch {
  /** Bytes that may be sent. */
  readonly waiting: number;
  /** Since the last frame of this terminal left. */
  readonly sinceLastMs: number;
  /** Nothing can join this batch: the stream has ended, or the credit has. */
  readonly complete: boolean;
}

export type Leave =
  | { readonly now: true; readonly bytes: number }
  | { readonly now: false; readonly waitMs: number };

export function whenToLeave(batch: Batch): Leave {
  const full = batch.waiting >= FRAME_SOFT_BYTES;
  const idle = batch.sinceLastMs >= BATCH_MS;
  if (!full && !idle && !batch.complete) {
    return { now: false, waitMs: BATCH_MS - Math.max(0, batch.sinceLastMs) };
  }
  return { now: true, bytes: frameBytes(batch.waiting) };
}

/** The last read may overshoot the soft limit: cutting it off would double the frames. */
function frameBytes(waiting: number): number {
  return waiting <= FRAME_SOFT_BYTES + PTY_READ_BYTES ? waiting : FRAME_SOFT_BYTES;
}
