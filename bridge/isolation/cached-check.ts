// Owns caching a slow check: a good result stays, a bad one expires, since the user may fix the
// problem.

import type { Ability } from "./ability.ts";

const FAILURE_CACHE_MS = 30_000;

export class CachedCheck<T> {
  readonly #check: () => Promise<Ability<T>>;
  readonly #now: () => number;
  #checkedAt: { readonly at: number; readonly answer: Promise<Ability<T>> } | undefined;
  #lastResult: Ability<T> | undefined;

  constructor(ask: () => Promise<Ability<T>>, now: () => number = Date.now) {
    this.#check = ask;
    this.#now = now;
  }

  /** The last result, if there is one. */
  get lastResult(): Ability<T> | undefined {
    return this.#lastResult;
  }

  async run(): Promise<Ability<T>> {
    const isStale =
      this.#checkedAt === undefined ||
      (this.#lastResult?.ok === false && this.#now() - this.#checkedAt.at >= FAILURE_CACHE_MS);
    if (isStale || this.#checkedAt === undefined) {
      this.#checkedAt = { at: this.#now(), answer: this.#check() };
    }
    this.#lastResult = await this.#checkedAt.answer;
    return this.#lastResult;
  }
}
