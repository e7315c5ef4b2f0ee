// Owns running a request once per key, however often a client retries it.

export const KEPT_MS = 10 * 60_000;
/** Bounds a client that makes up a new key for every call. */
const MOST_KEYS = 1_000;

interface Done<T> {
  readonly at: number;
  readonly asked: string;
  readonly outcome: Promise<T>;
  /** Undefined while the request is running. */
  result: T | undefined;
}

export class RequestKeys<T extends { readonly ok: boolean }> {
  readonly #now: () => number;
  readonly #done = new Map<string, Done<T>>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Runs `act` once per key; "differs" if the key was used with another `asked`, a comparable form
   * of the request. Failures are not kept, so that a retry may succeed. If `isStill` rejects the
   * kept result, `act` runs again, once for all concurrent calls.
   */
  async once(
    key: string,
    asked: string,
    act: () => Promise<T>,
    isStill: (result: T) => boolean = () => true,
  ): Promise<T | "differs"> {
    this.#forget();
    const known = this.#done.get(key);
    if (known === undefined) return await this.#act(key, asked, act);
    if (known.asked !== asked) return "differs";
    const { result } = known;
    if (result === undefined) return await known.outcome;
    return isStill(result) ? result : await this.#act(key, asked, act);
  }

  async #act(key: string, asked: string, act: () => Promise<T>): Promise<T> {
    const done: Done<T> = { at: this.#now(), asked, outcome: act(), result: undefined };
    // Re-inserted, to keep the map ordered by age.
    this.#done.delete(key);
    this.#done.set(key, done);
    try {
      const result = await done.outcome;
      if (result.ok) done.result = result;
      return result;
    } finally {
      if (done.result === undefined && this.#done.get(key) === done) this.#done.delete(key);
    }
  }

  #forget(): void {
    const now = this.#now();
    for (const [old, { at }] of this.#done) {
      if (now - at < KEPT_MS && this.#done.size < MOST_KEYS) break;
      this.#done.delete(old);
    }
  }
}
