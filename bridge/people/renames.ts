// Owns how often one person may rename terminals: every name is stored and sent to everyone.
// Decides and counts; the clock and the person's id are arguments.

export const MOST_RENAMES = 10;
export const RENAMES_WITHIN_MS = 10_000;

export class Renames {
  readonly #now: () => number;
  /** Times of renames by person: each page of a person, and each CLI call, is a separate caller. */
  readonly #done = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one rename, or returns why it is one too many; that one is not counted. */
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
    return `You renamed terminals ${MOST_RENAMES} times within ${RENAMES_WITHIN_MS / 1000} s; try again in ${seconds} s`;
  }

  #forgetBefore(start: number): void {
    for (const [person, done] of this.#done) {
      const lately = done.filter((at) => at > start);
      if (lately.length === 0) this.#done.delete(person);
      else this.#done.set(person, lately);
    }
  }
}
