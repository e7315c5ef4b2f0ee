// Owns the result type of services: a value, or an error text.

import { compact } from "../../protocol/compact.ts";

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: string;
      readonly retryAfterMs?: number;
      /** The reason and what to do, given beside an error whose text is fixed. */
      readonly hint?: string;
      /** The policy's other reasons, where the text names only the gravest. */
      readonly moreReasons?: readonly string[];
    };

export function refusal(error: string, retryAfterMs?: number): Outcome<never> {
  return { ok: false, error, ...compact({ retryAfterMs }) };
}
