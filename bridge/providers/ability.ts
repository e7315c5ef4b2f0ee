// Owns how something that may not work on this machine is told: what it is, or a sentence and what
// to do.

export type Ability<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly cure: string };

/** Both without a full stop: they are put together in one line or two. */
export function cannot(why: string, cure: string): Ability<never> {
  return { ok: false, why, cure };
}

export function sentences({ why, cure }: { readonly why: string; readonly cure: string }): string {
  return `${why}. ${cure}.`;
}
