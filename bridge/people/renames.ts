// Owns how often one person may name terminals: everybody is told of each name, and it is kept. Decides
// and counts; the clock comes in, and who is one person does, too.

export const MOST_RENAMES = 10;
export const RENAMES_WITHIN_MS = 10_000;

export class Renames {
  readonly #now: () => number;
  /** By person: a person's pages, and each verb of the command line, are callers of their own. */
  readonly #done = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one; or the sentence that says why it is one too many, which counts for nothing. */
  whyNotNow(person: string): string | undefined {
    const now = this.#now();
    this.#forgetBefore(now - RENAMES_WITHIN_MS);
    const lately = this.#done.get(person) ?? [];
    const [oldest = now] = lately;
    if (lately.length < MOST_RENAMES) {
      this.#done.set(person, [...lately, now]);
      return undefined;
    }
    const seconds = Math.ceil((oldest + RENAMES_WITHIN_MS - now) / 1000);
    return `You gave ${MOST_RENAMES} names within ${RENAMES_WITHIN_MS / 1000} s; try again in ${seconds} s`;
  }

  #forgetBefore(start: number): void {
    for (const [person, done] of this.#done) {
      const lately = done.filter((at) => at > start);
      if (lately.length === 0) this.#done.delete(person);
      else this.#done.set(person, lately);
    }
  }
}
