// Owns how much of something there may be a second: a bucket that fills with time. In memory alone:
// a room that slept had nothing to do, and a relay that just began has met nobody.

export interface RateLimit {
  readonly aSecond: number;
  /** What can be saved up. */
  readonly saved: number;
}

/** No more is owed than so many seconds give: whoever did not take it waits no longer. */
const MOST_OWED_SECONDS = 2;

export class Rate {
  readonly #limit: RateLimit;
  #left: number;
  #at: number;

  constructor(limit: RateLimit, now: number) {
    this.#limit = limit;
    this.#left = limit.saved;
    this.#at = now;
  }

  /** One more than time gives. */
  give(): void {
    if (this.#left < this.#limit.saved) this.#left++;
  }

  /** More was taken than there was. */
  get isOwed(): boolean {
    return this.#left < 0;
  }

  /** Takes what was not asked for before: later ones wait for it. */
  charge(cost: number): void {
    const least = -MOST_OWED_SECONDS * this.#limit.aSecond;
    this.#left = Math.max(least, this.#left - cost);
  }

  /** False when it is one too many. */
  mayTake(now: number): boolean {
    const earned = (Math.max(0, now - this.#at) * this.#limit.aSecond) / 1000;
    // Each request has a clock of its own, and some are behind: no moment counts twice.
    this.#at = Math.max(now, this.#at);
    this.#left = Math.min(this.#limit.saved, this.#left + earned);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
