// Owns the notice for messages and requests that arrived too late to be carried out, and its rate:
// a held key must not produce one answer per character.

import { errorResponse } from "./answers.ts";
import type { Caller } from "./caller.ts";

export const LATE_SENTENCE = "The host was asleep: this was not run. Try again.";

/** Long enough that an automatic retry does not arrive late again. */
const RETRY_AFTER_SECONDS = 2;

/** Minimum interval between identical notices to one caller. */
export const NOTICE_EVERY_MS = 1_000;

export function lateResponse(): Response {
  const response = errorResponse("host_asleep", LATE_SENTENCE);
  response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return response;
}

export class LateNotices {
  readonly #last = new WeakMap<Caller, { readonly about: string; readonly at: number }>();

  /** Whether to send the caller another notice about `about`. */
  isDue(caller: Caller, about: string, now: number): boolean {
    const last = this.#last.get(caller);
    if (last?.about === about && now - last.at < NOTICE_EVERY_MS) return false;
    this.#last.set(caller, { about, at: now });
    return true;
  }
}
