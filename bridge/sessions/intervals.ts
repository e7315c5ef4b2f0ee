// Owns how long a call waits for a session's output: at least `min`, until nothing was printed for
// `settle`, at most `max`. Pure; milliseconds, with the caller's clock.

import type { Silence } from "../reading/wait-until.ts";

export interface Intervals {
  readonly minMs: number;
  readonly settleMs: number;
  readonly maxMs: number;
}

/** The defaults of the configuration. */
export const DEFAULT_INTERVALS: Intervals = { minMs: 1_000, settleMs: 2_000, maxMs: 30_000 };

/** Returns when silence ends the wait; undefined if the call waits for a text. */
export function getSilence(
  { minMs, settleMs }: Intervals,
  waitsForText: boolean,
): Silence | undefined {
  if (waitsForText) return undefined;
  return (quietMs, waitedMs) => Math.max(minMs - waitedMs, settleMs - quietMs);
}

/** Returns the intervals in seconds, for answers. */
export function toSeconds({ settleMs, maxMs }: Intervals): {
  readonly settleSeconds: number;
  readonly maxSeconds: number;
} {
  return { settleSeconds: settleMs / 1_000, maxSeconds: maxMs / 1_000 };
}
