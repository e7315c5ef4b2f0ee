// Owns the places for sockets of strangers at one door of this relay: how many there are at a time
// and a second. The runtime takes messages of up to 32 MiB and cannot be told otherwise, so what a
// stranger costs is bounded by how many of them have a socket. Whoever took a place cuts its socket
// when it is told to. Others wait for a place as requests, which cost nothing.

import { MiB } from "../../protocol/limits.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";

/** 3 times 32 MiB are in memory at worst, and 30 ms of work for each may come together. */
const PLACES = 3;

/** A bridge says its hello one round trip after it has its socket. */
const LEAST_STAY_MS = 250;

const LONGEST_WAIT_MS = 3_000;
/** Nobody is woken when a place is free: a request that waits may be gone by then, and keep it. */
const LOOK_EVERY_MS = 25;

const STRANGERS: RateLimit = { aSecond: 10, saved: 32 };

export interface Place {
  /** Resolves when it is needed for somebody else. */
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

  /** Waits for a place where it must; undefined when too many came, or none got free. */
  async enter(): Promise<Place | undefined> {
    if (!this.#rate.mayTake(this.#clock.now())) return undefined;
    for (let waited = 0; !this.#makeWay(); waited += LOOK_EVERY_MS) {
      if (waited >= LONGEST_WAIT_MS) return undefined;
      await this.#clock.pause(LOOK_EVERY_MS);
    }
    let lose = (): void => undefined;
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const taken = { since: this.#clock.now(), lose };
    this.#places.add(taken);
    return { lost, leave: () => void this.#places.delete(taken) };
  }

  /** What a stranger sent in one message counts: a MiB like a socket. */
  charge(bytes: number): void {
    this.#rate.charge(bytes / MiB);
  }

  /** Whether there is a place; the one that is taken longest is free once it was long enough. */
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
