// Owns the counters of one body under way in a stream: what may be sent, what may come. They count
// from the body's start, so a credit that is told late or twice changes nothing. Send no frame.

import { STREAM_WINDOW } from "./limits.ts";

/** A credit for every piece would be a frame for every piece; four to a window starve nobody. */
const STEP_BYTES = STREAM_WINDOW / 4;

/** The sender's side. */
export class SendCredit {
  #sent = 0;
  #limit = STREAM_WINDOW;

  get left(): number {
    return this.#limit - this.#sent;
  }

  /** At most what is left. */
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

  /** False when the other side had no credit for it: then it is not counted. */
  receive(bytes: number): boolean {
    if (this.#received + bytes > this.#granted) return false;
    this.#received += bytes;
    return true;
  }

  /** The consumer has taken bytes that were received. Returns the new limit when it must be told. */
  take(bytes: number): number | undefined {
    this.#taken += bytes;
    const limit = this.#taken + STREAM_WINDOW;
    if (limit - this.#granted < STEP_BYTES) return undefined;
    this.#granted = limit;
    return limit;
  }
}
