// Owns how a service answers: with a value, or with the sentence that says why not.

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: string;
      readonly retryAfterMs?: number;
      /** Why, and what to do: beside an error whose words are given. */
      readonly hint?: string;
    };

export function refusal(error: string, retryAfterMs?: number): Outcome<never> {
  return { ok: false, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
