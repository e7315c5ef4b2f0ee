// Owns doing a thing once for a key, however often it is asked for: retries are re-sent requests.

export const KEPT_MS = 10 * 60_000;
/** Keys are small; this bounds a client that makes up a new one for every call. */
const MOST_KEYS = 1_000;

interface Done<T> {
  readonly at: number;
  readonly asked: string;
  readonly outcome: Promise<T>;
  /** Undefined while it is under way. */
  result: T | undefined;
}

export class RequestKeys<T extends { readonly ok: boolean }> {
  readonly #now: () => number;
  readonly #done = new Map<string, Done<T>>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * `asked` is what is wanted, in a form that can be compared. A failure is not remembered: the
   * next try may succeed. What was made and is not `isStill` there is made again, once for all who
   * ask.
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
    // Anew: the oldest are first.
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
