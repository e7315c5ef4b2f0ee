// Owns how often one person may rename terminals: every name is stored and sent to everyone.
// Decides and counts; the clock and the person's id are arguments.

export const MAX_RENAMES = 10;
export const RENAMES_WITHIN_MS = 10_000;

export class RenameLimit {
  readonly #now: () => number;
  /** Times of renames by person: each page of a person, and each CLI call, is a separate caller. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one rename, or returns why it is one too many; that one is not counted. */
  countOrDeny(person: string): string | undefined {
    const now = this.#now();
    this.#dropBefore(now - RENAMES_WITHIN_MS);
    const recent = this.#times.get(person) ?? [];
    const [oldest = now] = recent;
    if (recent.length < MAX_RENAMES) {
      this.#times.set(person, [...recent, now]);
      return undefined;
    }
    const seconds = Math.ceil((oldest + RENAMES_WITHIN_MS - now) / 1000);
    return `You renamed terminals ${MAX_RENAMES} times within ${RENAMES_WITHIN_MS / 1000} s; try again in ${seconds} s`;
  }

  #dropBefore(start: number): void {
    for (const [person, times] of this.#times) {
      const recent = times.filter((at) => at > start);
      if (recent.length === 0) this.#times.delete(person);
      else this.#times.set(person, recent);
    }
  }
}
