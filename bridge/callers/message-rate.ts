// Owns the rate at which one caller may send what the bridge then broadcasts. Counted by socket,
// not by person: two pages of one browser reconnect at the same time, each with its own messages,
// and the room limits a link's sockets [R34].

import type { Caller } from "./caller.ts";

/** More than a person sends, including what a page sends when it reconnects. */
const BURST = 40;
const PER_SECOND = 5;

export class MessageRate {
  readonly #now: () => number;
  readonly #budgets = new WeakMap<Caller, { left: number; at: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  tryTake(caller: Caller): boolean {
    const now = this.#now();
    const { left, at } = this.#budgets.get(caller) ?? { left: BURST, at: now };
    const available = Math.min(BURST, left + ((now - at) / 1_000) * PER_SECOND);
    this.#budgets.set(caller, { left: Math.max(0, available - 1), at: now });
    return available >= 1;
  }
}
