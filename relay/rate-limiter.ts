// Owns a rate limiter: a bucket that refills over time. Kept in memory only: a room that slept was
// idle, and a relay that just started has no clients yet. Also owns how much a refused socket may
// still send: the messages that were under way when it was closed, and no more.

import { MAX_HELLO_BYTES } from "../protocol/limits.ts";

export interface RateLimit {
  readonly aSecond: number;
  /** The largest burst: the bucket's capacity. */
  readonly saved: number;
}

/**
 * Debt is capped at this many seconds of refill, so that one large charge blocks others only
 * briefly.
 */
const MAX_OWED_SECONDS = 2;

export class RateLimiter {
  readonly #limit: RateLimit;
  #available: number;
  #updatedAt: number;

  constructor(limit: RateLimit, now: number) {
    this.#limit = limit;
    this.#available = limit.saved;
    this.#updatedAt = now;
  }

  /** Adds one to the bucket, beyond the refill over time. */
  refund(): void {
    if (this.#available < this.#limit.saved) this.#available++;
  }

  /** Whether charges have taken more than the bucket held. */
  get isOverdrawn(): boolean {
    return this.#available < 0;
  }

  /** Takes a cost that is known only afterwards; later calls wait until the bucket has refilled. */
  charge(cost: number): void {
    const least = -MAX_OWED_SECONDS * this.#limit.aSecond;
    this.#available = Math.max(least, this.#available - cost);
  }

  /** Takes one from the bucket; returns false when it is empty. */
  tryTake(now: number): boolean {
    const earned = (Math.max(0, now - this.#updatedAt) * this.#limit.aSecond) / 1000;
    // Concurrent requests may carry older clocks: never refill the same interval twice.
    this.#updatedAt = Math.max(now, this.#updatedAt);
    this.#available = Math.min(this.#limit.saved, this.#available + earned);
    if (this.#available < 1) return false;
    this.#available--;
    return true;
  }
}

/** A client may send its hello, pings and typed input before it reads the close frame. */
const MAX_MESSAGES_AFTER_CLOSE = 16;

export class PostCloseAllowance {
  #messages = 0;

  /** Returns false when the socket must be cut off. */
  allows(bytes: number): boolean {
    return bytes <= MAX_HELLO_BYTES && ++this.#messages <= MAX_MESSAGES_AFTER_CLOSE;
  }
}

/** Returns a message's size; text counts in UTF-16 units, which is close enough. */
export function getMessageSize(message: string | ArrayBuffer): number {
  return typeof message === "string" ? message.length : message.byteLength;
}
