// Owns the permits for strangers' sockets at one door of this relay: how many exist at a time and
// per second. The runtime accepts messages of up to 32 MiB and has no setting for that, so the cost
// of strangers is bounded by how many have a socket. The holder of a permit cuts its socket when
// the permit is revoked. Others wait as plain requests, which cost almost nothing.

import { MiB } from "../../protocol/limits.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";

/** At worst 3 × 32 MiB are in memory, and 30 ms of work for each may coincide. */
const PLACES = 3;

/** A bridge sends its hello one round trip after it has its socket; a busy relay needs longer. */
const LEAST_STAY_MS = 1_000;

const LONGEST_WAIT_MS = 5_000;
/** Waiting requests poll: one that was notified might already be gone and keep the permit. */
const LOOK_EVERY_MS = 25;

const STRANGERS: RateLimit = { aSecond: 10, saved: 64 };
/** One oversized message uses the whole burst allowance. */
const BYTES_LIKE_A_SOCKET = MiB / 2;

export interface Place {
  /** Resolves when another client needs the permit. */
  readonly lost: Promise<void>;
  leave(): void;
}

interface Taken {
  readonly since: number;
  readonly lose: () => void;
}

export interface Clock {
  now(): number;
  pause(milliseconds: number): Promise<void>;
}

export class Threshold {
  readonly #clock: Clock;
  readonly #rate = new Rate(STRANGERS, 0);
  /** Oldest first. */
  readonly #places = new Set<Taken>();

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock;
  }

  /** Waits for a permit; undefined when too many strangers came, or none became free in time. */
  async enter(): Promise<Place | undefined> {
    if (!this.#rate.mayTake(this.#clock.now())) return undefined;
    for (let waited = 0; !this.#makeWay(); waited += LOOK_EVERY_MS) {
      if (waited >= LONGEST_WAIT_MS) return undefined;
      await this.#clock.pause(LOOK_EVERY_MS);
      // Requests that queued behind a client with an oversized message are probably from the same
      // client.
      if (this.#rate.isOwed) return undefined;
    }
    let lose = (): void => undefined;
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const taken = { since: this.#clock.now(), lose };
    this.#places.add(taken);
    return { lost, leave: () => void this.#places.delete(taken) };
  }

  /** Charges a stranger's message to the rate limit, by its size. */
  charge(bytes: number): void {
    this.#rate.charge(bytes / BYTES_LIKE_A_SOCKET);
  }

  /** Returns whether a permit is free, revoking the oldest one once it was held long enough. */
  #makeWay(): boolean {
    if (this.#places.size < PLACES) return true;
    const [oldest] = this.#places;
    if (oldest === undefined || this.#clock.now() - oldest.since < LEAST_STAY_MS) return false;
    this.#places.delete(oldest);
    oldest.lose();
    return true;
  }
}

const CLOCK: Clock = {
  now: () => Date.now(),
  pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
