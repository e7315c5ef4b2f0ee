// Owns the rate at which one caller may send what the bridge then broadcasts. Counted by socket,
// not by person: two pages of one browser reconnect at the same time, each with its own messages,
// and the room limits a link's sockets [R34].

import type { Caller } from "./caller.ts";

/** More than a person sends, including what a page sends when it reconnects. */
const SAVED = 40;
const A_SECOND = 5;

export class MessageRate {
  readonly #now: () => number;
  readonly #left = new WeakMap<Caller, { left: number; at: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  maySpeak(caller: Caller): boolean {
    const now = this.#now();
    const { left, at } = this.#left.get(caller) ?? { left: SAVED, at: now };
    const saved = Math.min(SAVED, left + ((now - at) / 1_000) * A_SECOND);
    this.#left.set(caller, { left: Math.max(0, saved - 1), at: now });
    return saved >= 1;
  }
}
