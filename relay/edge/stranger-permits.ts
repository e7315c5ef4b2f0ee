// Owns the permits for strangers' sockets at one door of this relay: how many exist at a time and
// per second. The runtime accepts messages of up to 32 MiB and has no setting for that, so the cost
// of strangers is bounded by how many have a socket. The holder of a permit cuts its socket when
// the permit is revoked. Others wait as plain requests, which cost almost nothing.

import { MiB } from "../../protocol/limits.ts";
import type { RateLimit } from "../rate-limiter.ts";
import { RateLimiter } from "../rate-limiter.ts";

/** At worst 3 × 32 MiB are in memory, and 30 ms of work for each may coincide. */
const MAX_PERMITS = 3;

/** A bridge sends its hello one round trip after it has its socket; a busy relay needs longer. */
const MIN_STAY_MS = 1_000;

const MAX_WAIT_MS = 5_000;
/** Waiting requests poll: one that was notified might already be gone and keep the permit. */
const POLL_MS = 25;

const STRANGERS: RateLimit = { aSecond: 10, saved: 64 };
/** One oversized message uses the whole burst allowance. */
const BYTES_PER_CHARGE = MiB / 2;

export interface Permit {
  /** Resolves when another client needs the permit. */
  readonly revoked: Promise<void>;
  release(): void;
}

interface HeldPermit {
  readonly since: number;
  readonly lose: () => void;
}

export interface Clock {
  now(): number;
  pause(milliseconds: number): Promise<void>;
}

export class StrangerPermits {
  readonly #clock: Clock;
  readonly #rate = new RateLimiter(STRANGERS, 0);
  /** Oldest first. */
  readonly #held = new Set<HeldPermit>();

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock;
  }

  /** Waits for a permit; undefined when too many strangers came, or none became free in time. */
  async acquire(): Promise<Permit | undefined> {
    if (!this.#rate.tryTake(this.#clock.now())) return undefined;
    for (let waited = 0; !this.#makeRoom(); waited += POLL_MS) {
      if (waited >= MAX_WAIT_MS) return undefined;
      await this.#clock.pause(POLL_MS);
      // Requests that queued behind a client with an oversized message are probably from the same
      // client.
      if (this.#rate.isOverdrawn) return undefined;
    }
    let lose = (): void => undefined;
    const revoked = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const permit = { since: this.#clock.now(), lose };
    this.#held.add(permit);
    return { revoked, release: () => void this.#held.delete(permit) };
  }

  /** Charges a stranger's message to the rate limit, by its size. */
  charge(bytes: number): void {
    this.#rate.charge(bytes / BYTES_PER_CHARGE);
  }

  /** Returns whether a permit is free, revoking the oldest one once it was held long enough. */
  #makeRoom(): boolean {
    if (this.#held.size < MAX_PERMITS) return true;
    const [oldest] = this.#held;
    if (oldest === undefined || this.#clock.now() - oldest.since < MIN_STAY_MS) return false;
    this.#held.delete(oldest);
    oldest.lose();
    return true;
  }
}

const CLOCK: Clock = {
  now: () => Date.now(),
  pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
