// Owns what a pattern for file names may become among a command's arguments: any number of words, and
// behind an unquoted variable any words at all, since a shell splits what it holds. Judges nothing.

import type { Word, WordPart } from "unbash";
import { isGlob, UNKNOWN } from "./marks.ts";
import type { Value } from "./scope.ts";

/**
 * Returns each way of an argument with the words that its patterns may add: a second file, which shows
 * where the number of words counts, or words that nobody knows.
 */
export function spreadGlobs(
  { parts = [] }: Word,
  ways: readonly Value[],
  isSplit = true,
): readonly Value[] {
  const splits = isSplit && parts.some(isExpansion);
  if (!splits && !parts.some(givesMany)) return ways;
  return ways.map((fields) =>
    fields.flatMap((field) => (isGlob(field) ? [field, splits ? UNKNOWN : field] : [field])),
  );
}

function isExpansion({ type }: WordPart): boolean {
  return type === "SimpleExpansion" || type === "ParameterExpansion";
}

/** Whether the shell matches files here, or gives an array's fields: `"$@"`, `"${a[@]}"`. */
function givesMany(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.some(isArray);
  return /^(?:Glob|ExtendedGlob|BraceExpansion)$/.test(part.type) || isArray(part);
}

function isArray(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return /^\$[@*]$/.test(part.text);
  if (part.type !== "ParameterExpansion") return false;
  return /^[@*]$/.test(part.index?.value ?? part.parameter);
}
