// Owns who waits to be let in: how many may wait, and how often the host is notified. A flood of
// knocks must not disturb people inside.

import type { Caller } from "../callers/caller.ts";

/** Enough for a class that arrives at once; more are closed and try again. */
export const MOST_WAITING = 32;
/** Per link: one leaked link must not keep out the guests of others. */
export const MOST_WAITING_PER_LINK = 8;

/** Hellos accepted from a person who waits. */
const MOST_WORDS = 10;

/** Knocks announced one by one; after that, one per interval. */
const KNOCKS_TOLD = 8;
const KNOCK_EVERY_MS = 10_000;

interface Waiting {
  readonly caller: Caller;
}

export interface KnocksParts<V extends Waiting> {
  readonly now: () => number;
  readonly onKnocked: (visitor: V) => void;
}

interface Place<V> {
  readonly visitor: V;
  words: number;
  /** Name under which this person was announced; "" if they had none yet, undefined before. */
  toldAs: string | undefined;
}

export class Knocks<V extends Waiting> {
  readonly #parts: KnocksParts<V>;
  readonly #waiting = new Map<Caller, Place<V>>();
  #told: number[] = [];

  constructor(parts: KnocksParts<V>) {
    this.#parts = parts;
  }

  /** Adds a person who waits; false if too many wait already. */
  come(visitor: V): boolean {
    const { caller } = visitor;
    const ofLink = this.all().filter((one) => one.caller.grantId === caller.grantId).length;
    if (this.#waiting.size >= MOST_WAITING || ofLink >= MOST_WAITING_PER_LINK) return false;
    this.#waiting.set(caller, { visitor, words: 0, toldAs: undefined });
    return true;
  }

  leave(caller: Caller): V | undefined {
    const waiting = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    return waiting?.visitor;
  }

  has(caller: Caller): boolean {
    return this.#waiting.has(caller);
  }

  get(caller: Caller): V | undefined {
    return this.#waiting.get(caller)?.visitor;
  }

  all(): V[] {
    return [...this.#waiting.values()].map(({ visitor }) => visitor);
  }

  maySpeak(caller: Caller): boolean {
    const waiting = this.#waiting.get(caller);
    if (waiting === undefined || waiting.words >= MOST_WORDS) return false;
    waiting.words++;
    return true;
  }

  /** Announces a person once, and again once they have a name, unless too many were announced. */
  announce(visitor: V): void {
    const waiting = this.#waiting.get(visitor.caller);
    const name = visitor.caller.standing?.name ?? "";
    if (waiting === undefined || waiting.toldAs === name) return;
    if (waiting.toldAs !== undefined && waiting.toldAs !== "") return;
    const now = this.#parts.now();
    this.#told = this.#told.filter((at) => now - at < KNOCKS_TOLD * KNOCK_EVERY_MS);
    if (this.#told.length >= KNOCKS_TOLD) return;
    this.#told.push(now);
    waiting.toldAs = name;
    this.#parts.onKnocked(visitor);
  }
}
