// Owns caching a slow check: a good result stays, a bad one expires, since the user may fix the
// problem.

import type { Ability } from "./ability.ts";

const KEPT_MS = 30_000;

export class Remembered<T> {
  readonly #ask: () => Promise<Ability<T>>;
  readonly #now: () => number;
  #asked: { readonly at: number; readonly answer: Promise<Ability<T>> } | undefined;
  #known: Ability<T> | undefined;

  constructor(ask: () => Promise<Ability<T>>, now: () => number = Date.now) {
    this.#ask = ask;
    this.#now = now;
  }

  /** The last result, if there is one. */
  get known(): Ability<T> | undefined {
    return this.#known;
  }

  async answer(): Promise<Ability<T>> {
    const isStale =
      this.#asked === undefined ||
      (this.#known?.ok === false && this.#now() - this.#asked.at >= KEPT_MS);
    if (isStale || this.#asked === undefined) {
      this.#asked = { at: this.#now(), answer: this.#ask() };
    }
    this.#known = await this.#asked.answer;
    return this.#known;
  }
}
