// Owns doing a thing once for a key, however often it is asked for: retries are re-sent requests.

const KEPT_MS = 10 * 60_000;
/** Keys are small; this bounds a client that makes up a new one for every call. */
const MOST_KEYS = 1_000;

export class RequestKeys<T extends { readonly ok: boolean }> {
  readonly #now: () => number;
  readonly #done = new Map<string, { readonly at: number; readonly outcome: Promise<T> }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A failure is not remembered: the next try may succeed. */
  async once(key: string, act: () => Promise<T>): Promise<T> {
    const now = this.#now();
    for (const [old, { at }] of this.#done) {
      if (now - at < KEPT_MS && this.#done.size < MOST_KEYS) break;
      this.#done.delete(old);
    }
    const known = this.#done.get(key);
    if (known !== undefined) return await known.outcome;
    const outcome = act();
    this.#done.set(key, { at: now, outcome });
    const result = await outcome;
    if (!result.ok) this.#done.delete(key);
    return result;
  }
}
