// Owns the pure decision when a screen is fed without a request: after much output once it is
// quiet, and before the host drops unfed bytes, unless output comes too fast. Also how much is fed
// per turn.

import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";

/** Feeding less than this is not worth an emulator. */
const MIN_FEED_BYTES = 64 * KiB;

/** No output for this long counts as quiet: programs that draw do so more often. */
const QUIET_MS = 750;

/** Fed before this much is unfed, while the host still has it. */
const LATE_BYTES = REPLAY_BYTES / 2;

/**
 * Beyond this rate, in bytes a second, feeding would slow viewers down; the screen is rebuilt
 * later.
 */
const FLOOD_RATE = 1 * MiB;

export interface Pace {
  /** The screen (or its checkpoint) has everything before this offset. */
  readonly fed: number;
  /** Last reported end of the stream, and its time. */
  readonly end: number;
  readonly at: number;
  /** Recent rate in bytes a second. */
  readonly rate: number;
}

/** Records a report of activity. */
export function recordActivity(pace: Pace, end: number, now: number): Pace {
  if (pace.at === 0) return { ...pace, end, at: now };
  const seconds = Math.max(0.05, (now - pace.at) / 1000);
  const rate = (end - pace.end) / seconds;
  // A short pause does not end a flood.
  return { ...pace, end, at: now, rate: Math.max(rate, pace.rate / 2) };
}

/** Decides whether to feed; "later": there is unfed output that may be fed soon. */
export function shouldFeed({ fed, end, at, rate }: Pace, now: number): "now" | "later" | "never" {
  const unfed = end - fed;
  if (unfed < MIN_FEED_BYTES) return "never";
  if (now - at >= QUIET_MS) return "now";
  return unfed >= LATE_BYTES && rate < FLOOD_RATE ? "now" : "later";
}

/** Written in one step: about a millisecond of text. */
export const SLICE_BYTES = 16 * KiB;

/** A longer step would visibly delay keystrokes. */
export const SLICE_MS = 8;

/** Limit for drawing in one feed: ten times the normal cost of everything retained. */
export const FEED_MS = 2_000;

/** Beyond the limit, the screen restarts with this much of the end, without costly sequences. */
export const RESTART_BYTES = 16 * KiB;

/** One or two sequences. A single one cannot be cut, and none takes long (protocol/repeat-limits.ts). */
const MIN_SLICE = 8;

/** Returns the next step's size, by the duration of the last: scrolling costs 1,000 times text. */
export function nextSlice(slice: number, tookMs: number): number {
  const fits = tookMs <= SLICE_MS ? slice * 2 : Math.floor((slice * SLICE_MS) / tookMs);
  return Math.min(SLICE_BYTES, Math.max(MIN_SLICE, fits));
}
