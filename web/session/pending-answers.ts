// Owns the requests of this page that the bridge answers by id: each has one outcome, also when no
// answer comes. Errors come back as one message for people.

import type { ErrorCode } from "../../protocol/codes.ts";

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  /** Without a code, no answer came. */
  | { readonly ok: false; readonly code?: ErrorCode; readonly error: string };

/** A bridge starts or ends a terminal in less; this covers a message that was lost on its way. */
const TIMEOUT_MS = 30_000;

const NO_ANSWER = "The host is not responding. Try again in a moment.";
const NOT_SENT = "Not connected. Try again in a moment.";

export class PendingAnswers<T> {
  readonly #pending = new Map<string, (outcome: Outcome<T>) => void>();

  /** Sends a request; resolves with its outcome. A second request with the same id is not sent. */
  ask(id: string, send: () => boolean): Promise<Outcome<T>> {
    if (this.#pending.has(id)) return Promise.resolve({ ok: false, error: NO_ANSWER });
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(id, { ok: false, error: NO_ANSWER }), TIMEOUT_MS);
      this.#pending.set(id, (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
      if (!send()) this.settle(id, { ok: false, error: NOT_SENT });
    });
  }

  /** Ends a request; returns whether it was pending. */
  settle(id: string | undefined, outcome: Outcome<T>): boolean {
    const resolve = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || resolve === undefined) return false;
    this.#pending.delete(id);
    resolve(outcome);
    return true;
  }

  /** Ends all requests: the bridge that got them cannot answer. */
  fail(error: string): void {
    for (const id of this.#pending.keys()) this.settle(id, { ok: false, error });
  }
}
