// Owns how long a call waits for a session's output: at least `min`, until nothing was printed for
// `settle`, at most `max`. Pure; times are milliseconds, and clocks are the caller's.

import type { Silence } from "../reading/waiting.ts";

export interface Intervals {
  readonly minMs: number;
  readonly settleMs: number;
  readonly maxMs: number;
}

/** The seed's. */
export const DEFAULT_INTERVALS: Intervals = { minMs: 1_000, settleMs: 2_000, maxMs: 30_000 };

/**
 * When silence ends the wait. Whoever waits for a text waits through silence: a server that says
 * nothing while it builds has not said where it listens.
 */
export function silenceFor(
  { minMs, settleMs }: Intervals,
  waitsForText: boolean,
): Silence | undefined {
  if (waitsForText) return undefined;
  return (quietMs, waitedMs) => Math.max(minMs - waitedMs, settleMs - quietMs);
}

/** As they are told. */
export function secondsOf({ settleMs, maxMs }: Intervals): {
  readonly settleSeconds: number;
  readonly maxSeconds: number;
} {
  return { settleSeconds: settleMs / 1_000, maxSeconds: maxMs / 1_000 };
}
