// Owns the pure rule of when a reader holds a program back, and for how long it may.
// The hold is a lease: a bridge that hangs must not hang the user's build.

import { KiB } from "../../protocol/limits.ts";

/** From the last `read` or `credit`. A driver acks every 50 ms, so this is silence, not slowness. */
export const LEASE_MS = 6_000;

/**
 * Read ahead of a paced reader by this much: one frame is ready when credit comes. More would only
 * stand between a person's ^C and its effect.
 */
export const READ_AHEAD_BYTES = 64 * KiB;

export interface Pace {
  readonly paced: boolean;
  /** When the reader was last heard of. */
  readonly renewedAt: number;
  /** Read from the PTY and not yet sent. */
  readonly unsent: number;
}

export type Hold = { readonly held: false } | { readonly held: true; readonly forMs: number };

export function holdOf(pace: Pace, now: number): Hold {
  const left = pace.renewedAt + LEASE_MS - now;
  if (!pace.paced || left <= 0 || pace.unsent < READ_AHEAD_BYTES) return { held: false };
  return { held: true, forMs: left };
}
