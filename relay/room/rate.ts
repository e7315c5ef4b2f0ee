// Owns how many messages a socket may send: a bucket that fills with time, and with output, which
// is to be acknowledged. In memory alone: a room that slept had nothing to do.

import { PEER_MESSAGES_A_SECOND, PEER_MESSAGES_SAVED } from "../../protocol/limits.ts";

export class Rate {
  #left = PEER_MESSAGES_SAVED;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  /** A piece of output went out: its ack is no burden of the sender's making. */
  sent(): void {
    if (this.#left < PEER_MESSAGES_SAVED) this.#left++;
  }

  /** False when it is one too many. */
  mayTake(now: number): boolean {
    const earned = (Math.max(0, now - this.#at) * PEER_MESSAGES_A_SECOND) / 1000;
    this.#at = now;
    this.#left = Math.min(PEER_MESSAGES_SAVED, this.#left + earned);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
