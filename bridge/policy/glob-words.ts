// Owns what a file-name pattern may expand to among a command's arguments: any number of words, and
// after an unquoted variable any words at all, since a shell splits the value. Judges nothing.

import type { Word, WordPart } from "unbash";
import { isGlob, UNKNOWN_VALUE } from "./word-marks.ts";
import type { Value } from "./variable-scope.ts";

/**
 * Returns each reading of an argument with the words that its patterns may add: a second file, which
 * matters where words are counted, or unknown words.
 */
export function spreadGlobs(
  { parts = [] }: Word,
  ways: readonly Value[],
  isSplit = true,
): readonly Value[] {
  const splits = isSplit && parts.some(isExpansion);
  if (!splits && !parts.some(expandsToMany)) return ways;
  return ways.map((fields) =>
    fields.flatMap((field) => (isGlob(field) ? [field, splits ? UNKNOWN_VALUE : field] : [field])),
  );
}

function isExpansion({ type }: WordPart): boolean {
  return type === "SimpleExpansion" || type === "ParameterExpansion";
}

/** Whether the shell matches file names here, or expands an array to its fields: `"$@"`, `"${a[@]}"`. */
function expandsToMany(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.some(isArray);
  return /^(?:Glob|ExtendedGlob|BraceExpansion)$/.test(part.type) || isArray(part);
}

function isArray(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return /^\$[@*]$/.test(part.text);
  if (part.type !== "ParameterExpansion") return false;
  return /^[@*]$/.test(part.index?.value ?? part.parameter);
}
