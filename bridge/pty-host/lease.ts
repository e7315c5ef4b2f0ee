// Owns the rule of when a reader holds a program back, and for how long it may.
// The hold is a lease: a bridge that hangs must not hang the user's build.

import { KiB } from "../../protocol/limits.ts";

/**
 * From the beginning of a hold, or the last sign of its reader since. A driver acks every 50 ms, so
 * this is silence, not slowness; before there was anything to hold, silence means nothing.
 */
export const LEASE_MS = 6_000;

/**
 * Read ahead of a paced reader by this much: one frame is ready when credit comes. More would only
 * stand between a person's ^C and its effect.
 */
export const READ_AHEAD_BYTES = 64 * KiB;

export type Hold = { readonly held: false } | { readonly held: true; readonly forMs: number };

/** Of one reader. The caller brings the clock. */
export class Lease {
  readonly #paced: boolean;
  /** Since when the program waits, or its reader was last heard of while it did. */
  #since: number | undefined;
  /** The reader let a hold run out: nothing is held for it until it is heard of again. */
  #lapsed = false;

  constructor(paced: boolean) {
    this.#paced = paced;
  }

  /** A sign of the reader. */
  renew(now: number): void {
    this.#lapsed = false;
    if (this.#since !== undefined) this.#since = now;
  }

  /** `unsent`: read from the PTY, and not yet sent. */
  look(unsent: number, now: number): Hold {
    if (!this.#paced || unsent < READ_AHEAD_BYTES) {
      this.#since = undefined;
      return { held: false };
    }
    if (this.#lapsed) return { held: false };
    this.#since ??= now;
    const left = this.#since + LEASE_MS - now;
    if (left > 0) return { held: true, forMs: left };
    this.#lapsed = true;
    this.#since = undefined;
    return { held: false };
  }
}
