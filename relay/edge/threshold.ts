// Owns the places for sockets of strangers at one door of this relay: how many there are at a time
// and a second. The runtime takes messages of up to 32 MiB and cannot be told otherwise, so what a
// stranger costs is bounded by how many of them have a socket. Pure: whoever took a place cuts the
// socket when it is told to.

import { MiB } from "../../protocol/limits.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";

/** 8 times 32 MiB are in memory at worst, and 30 ms of work for each may come together. */
const PLACES = 8;

/** Whoever is let in has 400 ms for its hello before 8 others can have pushed it out. */
const STRANGERS: RateLimit = { aSecond: 20, saved: 32 };

export interface Place {
  /** Resolves when it is needed for somebody else. */
  readonly lost: Promise<void>;
  leave(): void;
}

export class Threshold {
  readonly #rate: Rate;
  /** Oldest first. */
  readonly #places = new Set<() => void>();

  constructor(now: number) {
    this.#rate = new Rate(STRANGERS, now);
  }

  /** Undefined when too many came within a second. Otherwise the oldest makes way where it must. */
  enter(now: number): Place | undefined {
    if (!this.#rate.mayTake(now)) return undefined;
    const [oldest] = this.#places;
    if (oldest !== undefined && this.#places.size >= PLACES) {
      this.#places.delete(oldest);
      oldest();
    }
    let lose = (): void => undefined;
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    this.#places.add(lose);
    return { lost, leave: () => void this.#places.delete(lose) };
  }

  /** What a stranger sent in one message counts: a MiB like a socket. */
  charge(bytes: number): void {
    this.#rate.charge(bytes / MiB);
  }
}
