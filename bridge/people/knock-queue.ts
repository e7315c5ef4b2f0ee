// Owns who waits to be let in: how many may wait, and how often the host is notified. A flood of
// knocks must not disturb people inside.

import type { Caller } from "../callers/caller.ts";

/** Enough for a class that arrives at once; more are closed and try again. */
export const MAX_WAITING = 32;
/** Per link: one leaked link must not keep out the guests of others. */
export const MAX_WAITING_PER_LINK = 8;

/** Hellos accepted from a person who waits. */
const MAX_HELLOS = 10;

/** Knocks announced one by one; after that, one per interval. */
const MAX_ANNOUNCED = 8;
const ANNOUNCE_INTERVAL_MS = 10_000;

interface WaitingVisitor {
  readonly caller: Caller;
}

export interface KnockQueueDeps<V extends WaitingVisitor> {
  readonly now: () => number;
  readonly onKnocked: (visitor: V) => void;
}

interface QueuedKnock<V> {
  readonly visitor: V;
  hellos: number;
  /** Name under which this person was announced; "" if they had none yet, undefined before. */
  announcedAs: string | undefined;
}

export class KnockQueue<V extends WaitingVisitor> {
  readonly #deps: KnockQueueDeps<V>;
  readonly #waiting = new Map<Caller, QueuedKnock<V>>();
  #announcedAt: number[] = [];

  constructor(deps: KnockQueueDeps<V>) {
    this.#deps = deps;
  }

  /** Adds a person who waits; false if too many wait already. */
  add(visitor: V): boolean {
    const { caller } = visitor;
    const countOfLink = this.list().filter((one) => one.caller.grantId === caller.grantId).length;
    if (this.#waiting.size >= MAX_WAITING || countOfLink >= MAX_WAITING_PER_LINK) return false;
    this.#waiting.set(caller, { visitor, hellos: 0, announcedAs: undefined });
    return true;
  }

  remove(caller: Caller): V | undefined {
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

  list(): V[] {
    return [...this.#waiting.values()].map(({ visitor }) => visitor);
  }

  countHello(caller: Caller): boolean {
    const waiting = this.#waiting.get(caller);
    if (waiting === undefined || waiting.hellos >= MAX_HELLOS) return false;
    waiting.hellos++;
    return true;
  }

  /** Announces a person once, and again once they have a name, unless too many were announced. */
  announce(visitor: V): void {
    const waiting = this.#waiting.get(visitor.caller);
    const name = visitor.caller.status?.name ?? "";
    if (waiting === undefined || waiting.announcedAs === name) return;
    if (waiting.announcedAs !== undefined && waiting.announcedAs !== "") return;
    const now = this.#deps.now();
    this.#announcedAt = this.#announcedAt.filter(
      (at) => now - at < MAX_ANNOUNCED * ANNOUNCE_INTERVAL_MS,
    );
    if (this.#announcedAt.length >= MAX_ANNOUNCED) return;
    this.#announcedAt.push(now);
    waiting.announcedAs = name;
    this.#deps.onKnocked(visitor);
  }
}
