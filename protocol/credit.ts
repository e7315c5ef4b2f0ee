// Owns the credit counters of one body in a stream, for sending and receiving. They count from the
// body's start, so a late or repeated credit changes nothing. Sends no frames.

import { STREAM_WINDOW } from "./limits.ts";

/** A credit per piece would be a frame per piece; four per window keep the sender busy. */
const STEP_BYTES = STREAM_WINDOW / 4;

/** The sender's side. */
export class SendCredit {
  #sent = 0;
  #limit = STREAM_WINDOW;

  get left(): number {
    return this.#limit - this.#sent;
  }

  /** Uses up credit; `bytes` must be at most `left`. */
  spend(bytes: number): void {
    this.#sent += bytes;
  }

  raise(limit: number): void {
    this.#limit = Math.max(this.#limit, limit);
  }
}

/** The receiver's side. */
export class ReceiveCredit {
  #received = 0;
  #taken = 0;
  #granted = STREAM_WINDOW;

  /** Returns false, without counting, if the other side exceeded its credit. */
  receive(bytes: number): boolean {
    if (this.#received + bytes > this.#granted) return false;
    this.#received += bytes;
    return true;
  }

  /** Counts bytes that the consumer took. Returns the new limit if the sender needs it now. */
  take(bytes: number): number | undefined {
    this.#taken += bytes;
    const limit = this.#taken + STREAM_WINDOW;
    if (limit - this.#granted < STEP_BYTES) return undefined;
    this.#granted = limit;
    return limit;
  }
}
