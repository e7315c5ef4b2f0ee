// Owns guessing which setting or variable was meant, however its words were joined. Pure.

import { editDistance } from "./nearest-word.ts";

/** Finds the name nearest to `word`, if one is near enough. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const asked = plain(word);
  const ranked = names
    .flatMap((name) => forms(name).map((form) => ({ name, form, away: editDistance(asked, form) })))
    .filter(({ form, away }) => away <= Math.max(1, Math.floor(form.length / 3)))
    .sort((one, other) => one.away - other.away);
  return asked === "" ? undefined : ranked[0]?.name;
}

/**
 * Returns the spellings of a name: `agentIdle` and `idle` match `agents.idle`, `log_level` matches
 * `logLevel`.
 */
function forms(name: string): string[] {
  const last = name.split(".").at(-1) ?? name;
  return [...new Set([plain(name), plain(last)])];
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
