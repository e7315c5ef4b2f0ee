// Owns when a reader pauses a program, and for how long. The pause is a lease: a hanging bridge
// must not hang the user's build.

import { KiB } from "../../protocol/limits.ts";

/**
 * Measured from the start of a pause, or from the reader's last ack since. A driver acks every 50
 * ms, so this is silence, not slowness; silence before a pause does not count.
 */
export const LEASE_MS = 6_000;

/**
 * How far to read ahead of a paced reader: one frame is ready when credit comes. More would only
 * delay a ^C.
 */
export const READ_AHEAD_BYTES = 64 * KiB;

export type PauseDecision =
  | { readonly held: false }
  | { readonly held: true; readonly forMs: number };

/** Lease of one reader. The caller provides the clock. */
export class Lease {
  readonly #paced: boolean;
  /** Start of the pause, or the reader's last ack since. */
  #since: number | undefined;
  /** Whether the reader let a pause expire: no further pause until its next ack. */
  #lapsed = false;

  constructor(paced: boolean) {
    this.#paced = paced;
  }

  /** Records an ack of the reader. */
  renew(now: number): void {
    this.#lapsed = false;
    if (this.#since !== undefined) this.#since = now;
  }

  /** Returns whether to pause; `unsent` is read from the PTY and not yet sent. */
  decide(unsent: number, now: number): PauseDecision {
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
