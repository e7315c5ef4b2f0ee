// Owns the result of checking something that may not work on this machine: a value, or the reason and
// what to do.

export type Ability<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly cure: string };

/** Builds the negative result. Neither text ends with a full stop: callers join them. */
export function toUnavailable(why: string, cure: string): Ability<never> {
  return { ok: false, why, cure };
}

export function formatUnavailable({
  why,
  cure,
}: {
  readonly why: string;
  readonly cure: string;
}): string {
  return `${why}. ${cure}.`;
}
