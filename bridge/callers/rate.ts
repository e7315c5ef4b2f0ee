// Owns how often one caller may say what everybody is then told of, as a dialect of the room is. By
// socket and not by person: two pages of one browser come back at once, each with its own words, and
// the room bounds how many sockets a link has [R34].

import type { Caller } from "./caller.ts";

/** More than a person does, with a page's own words on coming back. */
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
