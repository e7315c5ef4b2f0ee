// Owns what a caller is told whose message or request came too late to be carried out, and how often:
// a held key must not be answered once a letter.

import { errorResponse } from "./answers.ts";
import type { Caller } from "./caller.ts";

export const LATE_SENTENCE = "The host was asleep: this was not run. Try again.";

/** Long enough for a client that retries by itself not to meet the same doubt. */
const RETRY_AFTER_SECONDS = 2;

/** The same notice goes to a caller at most this often. */
export const NOTICE_EVERY_MS = 1_000;

export function lateResponse(): Response {
  const response = errorResponse("host_asleep", LATE_SENTENCE);
  response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return response;
}

export class LateNotices {
  readonly #last = new WeakMap<Caller, { readonly about: string; readonly at: number }>();

  /** Whether the caller is to be told, of messages about `about`. */
  isDue(caller: Caller, about: string, now: number): boolean {
    const last = this.#last.get(caller);
    if (last?.about === about && now - last.at < NOTICE_EVERY_MS) return false;
    this.#last.set(caller, { about, at: now });
    return true;
  }
}
