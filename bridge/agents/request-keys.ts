// Owns doing a thing once for a key, however often it is asked for: retries are re-sent requests.

const KEPT_MS = 10 * 60_000;
/** Keys are small; this bounds a client that makes up a new one for every call. */
const MOST_KEYS = 1_000;

interface Done<T> {
  readonly at: number;
  readonly asked: string;
  readonly outcome: Promise<T>;
}

export class RequestKeys<T extends { readonly ok: boolean }> {
  readonly #now: () => number;
  readonly #done = new Map<string, Done<T>>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * `asked` is what is wanted, in a form that can be compared. A failure is not remembered: the
   * next try may succeed.
   */
  async once(key: string, asked: string, act: () => Promise<T>): Promise<T | "differs"> {
    const now = this.#now();
    for (const [old, { at }] of this.#done) {
      if (now - at < KEPT_MS && this.#done.size < MOST_KEYS) break;
      this.#done.delete(old);
    }
    const known = this.#done.get(key);
    if (known === undefined) return await this.#act(key, asked, act);
    return known.asked === asked ? await known.outcome : "differs";
  }

  /** Does it again under the same key. */
  async anew(key: string, act: () => Promise<T>): Promise<T> {
    const asked = this.#done.get(key)?.asked ?? "";
    this.#done.delete(key);
    return await this.#act(key, asked, act);
  }

  async #act(key: string, asked: string, act: () => Promise<T>): Promise<T> {
    const outcome = act();
    this.#done.set(key, { at: this.#now(), asked, outcome });
    const result = await outcome;
    if (!result.ok) this.#done.delete(key);
    return result;
  }
}
