// Owns ending a grant at the moment it expires, with the effect of a revocation, instead of on its
// next use.

import type { GrantTable } from "./grant-table.ts";

/**
 * After sleep or a clock change the timer is at most this late; lookups check the time themselves.
 */
const LONGEST_WAIT_MS = 60_000;

export class GrantExpiry {
  readonly #grants: Pick<GrantTable, "nextExpiry" | "expire">;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    grants: Pick<GrantTable, "nextExpiry" | "expire" | "onEvent">,
    now: () => number = Date.now,
  ) {
    this.#grants = grants;
    this.#now = now;
    this.#unsubscribe = grants.onEvent(() => this.#arm());
    this.#arm();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#grants.nextExpiry;
    if (next === undefined) return;
    const wait = Math.max(0, Math.min(next - this.#now(), LONGEST_WAIT_MS));
    this.#timer = setTimeout(() => {
      this.#grants.expire();
      this.#arm();
    }, wait);
    this.#timer.unref();
  }
}
