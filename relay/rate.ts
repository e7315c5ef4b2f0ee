// Owns a rate limiter: a bucket that refills over time. Kept in memory only: a room that slept was
// idle, and a relay that just started has no clients yet.

export interface RateLimit {
  readonly aSecond: number;
  /** The largest burst: the bucket's capacity. */
  readonly saved: number;
}

/**
 * Debt is capped at this many seconds of refill, so that one large charge blocks others only
 * briefly.
 */
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

  /** Adds one to the bucket, beyond the refill over time. */
  give(): void {
    if (this.#left < this.#limit.saved) this.#left++;
  }

  /** Whether charges have taken more than the bucket held. */
  get isOwed(): boolean {
    return this.#left < 0;
  }

  /** Takes a cost that is known only afterwards; later calls wait until the bucket has refilled. */
  charge(cost: number): void {
    const least = -MOST_OWED_SECONDS * this.#limit.aSecond;
    this.#left = Math.max(least, this.#left - cost);
  }

  /** Takes one from the bucket; returns false when it is empty. */
  mayTake(now: number): boolean {
    const earned = (Math.max(0, now - this.#at) * this.#limit.aSecond) / 1000;
    // Concurrent requests may carry older clocks: never refill the same interval twice.
    this.#at = Math.max(now, this.#at);
    this.#left = Math.min(this.#limit.saved, this.#left + earned);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
