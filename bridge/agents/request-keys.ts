// Owns running a request once per key, however often a client retries it.

export const KEY_LIFETIME_MS = 10 * 60_000;
/** Bounds a client that makes up a new key for every call. */
const MAX_KEYS = 1_000;

interface KeyedRequest<T> {
  readonly at: number;
  readonly fingerprint: string;
  readonly outcome: Promise<T>;
  /** Undefined while the request is running. */
  result: T | undefined;
}

export class RequestKeys<T extends { readonly ok: boolean }> {
  readonly #now: () => number;
  readonly #requests = new Map<string, KeyedRequest<T>>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Runs `act` once per key; returns "differs" if the key was used with another `fingerprint` of
   * the request. Failures are not stored, so that a retry may succeed. If `isValid` rejects the
   * stored result, `act` runs again, once for all concurrent calls.
   */
  async once(
    key: string,
    fingerprint: string,
    act: () => Promise<T>,
    isValid: (result: T) => boolean = () => true,
  ): Promise<T | "differs"> {
    this.#prune();
    const known = this.#requests.get(key);
    if (known === undefined) return await this.#run(key, fingerprint, act);
    if (known.fingerprint !== fingerprint) return "differs";
    const { result } = known;
    if (result === undefined) return await known.outcome;
    return isValid(result) ? result : await this.#run(key, fingerprint, act);
  }

  async #run(key: string, fingerprint: string, act: () => Promise<T>): Promise<T> {
    const done: KeyedRequest<T> = {
      at: this.#now(),
      fingerprint,
      outcome: act(),
      result: undefined,
    };
    // Re-inserted, to keep the map ordered by age.
    this.#requests.delete(key);
    this.#requests.set(key, done);
    try {
      const result = await done.outcome;
      if (result.ok) done.result = result;
      return result;
    } finally {
      if (done.result === undefined && this.#requests.get(key) === done) this.#requests.delete(key);
    }
  }

  #prune(): void {
    const now = this.#now();
    for (const [old, { at }] of this.#requests) {
      if (now - at < KEY_LIFETIME_MS && this.#requests.size < MAX_KEYS) break;
      this.#requests.delete(old);
    }
  }
}
