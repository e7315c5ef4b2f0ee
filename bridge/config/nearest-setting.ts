// Owns guessing which setting or variable was meant, however its words were joined. Pure.

import { editDistance } from "./nearest-word.ts";

/** Finds the name nearest to `word`, if one is near enough. */
export function findNearestSetting(word: string, names: readonly string[]): string | undefined {
  const normalized = normalizeName(word);
  const ranked = names
    .flatMap((name) =>
      listSpellings(name).map((form) => ({ name, form, away: editDistance(normalized, form) })),
    )
    .filter(({ form, away: distance }) => distance <= Math.max(1, Math.floor(form.length / 3)))
    .sort((one, other) => one.away - other.away);
  return normalized === "" ? undefined : ranked[0]?.name;
}

/**
 * Returns the spellings of a name: `agentIdle` and `idle` match `agents.idle`, `log_level` matches
 * `logLevel`.
 */
function listSpellings(name: string): string[] {
  const last = name.split(".").at(-1) ?? name;
  return [...new Set([normalizeName(name), normalizeName(last)])];
}

function normalizeName(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
