// Owns how often one person may name terminals: everybody is told of each name, and it is kept. Decides
// and counts; the clock comes in.

import type { Caller } from "../callers/caller.ts";

export const MOST_RENAMES = 10;
export const RENAMES_WITHIN_MS = 10_000;

export class Renames {
  readonly #now: () => number;
  readonly #done = new WeakMap<Caller, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one; or the sentence that says why it is one too many, which counts for nothing. */
  whyNotNow(caller: Caller): string | undefined {
    const now = this.#now();
    const lately = this.#done.get(caller)?.filter((at) => now - at < RENAMES_WITHIN_MS) ?? [];
    const [oldest = now] = lately;
    if (lately.length < MOST_RENAMES) {
      this.#done.set(caller, [...lately, now]);
      return undefined;
    }
    const seconds = Math.ceil((oldest + RENAMES_WITHIN_MS - now) / 1000);
    return `You gave ${MOST_RENAMES} names within ${RENAMES_WITHIN_MS / 1000} s; try again in ${seconds} s`;
  }
}
