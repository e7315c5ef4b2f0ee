// Owns how many handshakes the host answers: each costs it more than a millisecond, and a relay can
// open sockets faster than that. Pure.

import { MAX_PEERS } from "../../protocol/limits.ts";

/** A full room shakes hands at once after a takeover. */
const BURST = MAX_PEERS;
/** About 3% of a core. */
const PER_SECOND = 20;

export class HandshakeBudget {
  readonly #now: () => number;
  #left = BURST;
  #at: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  /** Returns whether one more handshake may be answered, and counts it. */
  tryTake(): boolean {
    const now = this.#now();
    const earned = ((now - this.#at) / 1_000) * PER_SECOND;
    this.#left = Math.min(BURST, this.#left + Math.max(0, earned));
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
