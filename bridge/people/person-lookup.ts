// Owns how a person is found by what someone typed: an id, its start, or a name. Pure. Whether
// anything may be done to that person is in moderation.ts.

import { firstWord } from "../../protocol/names.ts";
import type { Visitor } from "./visitor.ts";
import { toVisitorId } from "./visitor.ts";

/** Finds one person's pages by id, start of the id, name, its first word, or display name. */
export function findPages(
  among: readonly Visitor[],
  wanted: string,
  getPersonName: (visitor: Visitor) => string,
): readonly Visitor[] | "several" {
  if (wanted === "") return [];
  const exact = among.filter((visitor) => toVisitorId(visitor) === wanted);
  if (exact.length > 0) return exact;
  const isWanted = (name: string | undefined) => name?.toLowerCase() === wanted.toLowerCase();
  const named = among.filter((visitor) => {
    const { status } = visitor.caller;
    const names = [status?.name, visitor.caller.grant()?.label, getPersonName(visitor)];
    return names.some(isWanted) || toVisitorId(visitor).startsWith(wanted);
  });
  // A full name takes precedence over the first word of another.
  const found =
    named.length > 0
      ? named
      : among.filter(({ caller }) => isWanted(firstWord(caller.status?.name)));
  return new Set(found.map(toVisitorId)).size > 1 ? "several" : found;
}

/** Finds removed people by hash, name or the first word of the name; whole names come first. */
export function findRemoved<T extends { readonly hash: string; readonly called: string }>(
  removed: readonly T[],
  wanted: string,
): readonly T[] {
  if (wanted === "") return [];
  const whole = removed.filter(
    ({ hash, called }) => hash.startsWith(wanted) || matchesName(called, wanted),
  );
  if (whole.length > 0) return whole;
  return removed.filter(({ called }) => matchesName(firstWord(called) ?? "", wanted));
}

/** Whether `wanted` is the whole display name, or the name or label in it. */
function matchesName(called: string, wanted: string): boolean {
  const [whole, part] = [called.toLowerCase(), wanted.toLowerCase()];
  return whole === part || whole.startsWith(`${part} (`) || whole.endsWith(` (${part})`);
}
