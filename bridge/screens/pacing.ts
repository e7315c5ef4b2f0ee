// Owns the pure decision of when a screen is fed though nobody asks: when much was printed and it is
// quiet, and before the host forgets bytes that were not fed, unless more comes than can be read.
// And of how much is fed before everybody else has a turn.

import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";

/** Below this it is not worth an emulator. */
const MUCH_BYTES = 64 * KiB;

/** No output for so long is quiet: a program that draws does it more often. */
const QUIET_MS = 750;

/** Fed before this much is unfed, so that the host still has it. */
const LATE_BYTES = REPLAY_BYTES / 2;

/** Beyond this rate feeding would cost the viewers; the screen is rebuilt afterwards. */
const FLOOD_RATE = 1 * MiB;

export interface Pace {
  /** The screen (or its checkpoint) has everything before this. */
  readonly fed: number;
  /** Where the stream ended when last heard of, and when that was. */
  readonly end: number;
  readonly at: number;
  /** Bytes a second, lately. */
  readonly rate: number;
}

/** Something was printed, or typed. */
export function heard(pace: Pace, end: number, now: number): Pace {
  if (pace.at === 0) return { ...pace, end, at: now };
  const seconds = Math.max(0.05, (now - pace.at) / 1000);
  const rate = (end - pace.end) / seconds;
  // A pause in a flood is still the flood.
  return { ...pace, end, at: now, rate: Math.max(rate, pace.rate / 2) };
}

/** "later": something is unfed and may be fed yet. */
export function shouldFeed({ fed, end, at, rate }: Pace, now: number): "now" | "later" | "never" {
  const unfed = end - fed;
  if (unfed < MUCH_BYTES) return "never";
  if (now - at >= QUIET_MS) return "now";
  return unfed >= LATE_BYTES && rate < FLOOD_RATE ? "now" : "later";
}

/** Written at once: about a millisecond of text. */
export const SLICE_BYTES = 16 * KiB;

/** Longer than this, and everybody's keystrokes are seen to wait. */
export const SLICE_MS = 8;

/** What drawing may take in one go: ten times what all that is kept does, if it is no attack. */
export const FEED_MS = 2_000;

/** Beyond that the screen begins anew, with what is left of so much when costly sequences are out. */
export const LAST_BYTES = 16 * KiB;

/** A sequence or two. One alone cannot be cut, and none takes long (protocol/counts.ts). */
const LEAST_SLICE = 8;

/** What to write at once after a slice that took so long: scrolling costs 1,000 times what text does. */
export function nextSlice(slice: number, tookMs: number): number {
  const fits = tookMs <= SLICE_MS ? slice * 2 : Math.floor((slice * SLICE_MS) / tookMs);
  return Math.min(SLICE_BYTES, Math.max(LEAST_SLICE, fits));
}
