// Owns the notice for messages and requests that arrived too late to be carried out, and its rate:
// a held key must not produce one answer per character.

import { errorResponse } from "./json-response.ts";
import type { Caller } from "./caller.ts";

export const LATE_MESSAGE = "The host was asleep: this was not run. Try again.";

/** Consequence of a dropped message, by its type; unknown types get "your last action". */
const DROPPED: Readonly<Record<string, string>> = {
  "pty:input": "what you typed was not run",
  "pty:spawn": "no terminal was opened",
  "pty:close": "the terminal was not closed",
  "pty:rename": "the terminal was not renamed",
  "pty:drive": "you did not take over",
  "pty:ask": "your request to type was not sent",
  "pty:give": "typing was not handed over",
  "pty:step-in": "you did not step in",
  "pty:hand-back": "the terminal was not handed back",
  "pty:promote": "the terminal was not kept",
  "pty:agents-type": "whether agents can type was not changed",
  "pty:pin": "the size was not changed",
  "pty:record": "the recording was not started or stopped",
  "pty:private": "the terminal’s visibility was not changed",
  "approval:answer": "your answer was not taken",
  "conversation:new": "no conversation was started",
  "conversation:prompt": "your message was not sent",
  "conversation:cancel": "the agent was not stopped",
  "conversation:mode": "the agent’s mode was not changed",
  "conversation:end": "the conversation was not ended",
  "room:name": "your name was not changed",
  "room:remember": "this browser got no link of its own",
  "room:forget": "this browser’s link was not forgotten",
  "room:share": "no link was made",
  "room:revoke": "the link was not revoked",
  "room:admit": "no one was let in",
  "room:turn-away": "no one was turned away",
  "room:remove": "no one was removed",
  "room:rights": "no one’s access was changed",
};

/** Formats the notice to a caller whose message of this type was dropped. */
export function formatLate(type: string): string {
  const dropped = Object.hasOwn(DROPPED, type) ? DROPPED[type] : undefined;
  return `The host was asleep: ${dropped ?? "your last action was not carried out"}. Try again.`;
}

/** Long enough that an automatic retry does not arrive late again. */
const RETRY_AFTER_SECONDS = 2;

/** Minimum interval between identical notices to one caller. */
export const NOTICE_INTERVAL_MS = 1_000;

export function lateResponse(): Response {
  const response = errorResponse("host_asleep", LATE_MESSAGE);
  response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return response;
}

export class LateNotices {
  readonly #last = new WeakMap<Caller, { readonly about: string; readonly at: number }>();

  /** Whether to send the caller another notice about `about`. */
  isDue(caller: Caller, about: string, now: number): boolean {
    const last = this.#last.get(caller);
    if (last?.about === about && now - last.at < NOTICE_INTERVAL_MS) return false;
    this.#last.set(caller, { about, at: now });
    return true;
  }
}
