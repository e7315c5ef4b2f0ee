// Owns guessing which name was meant. Pure.

/** The name that is nearest to `word`, if one is near enough to be meant. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const asked = plain(word);
  const ranked = names
    .flatMap((name) => forms(name).map((form) => ({ name, form, away: distance(asked, form) })))
    .filter(({ form, away }) => away <= Math.max(1, Math.floor(form.length / 3)))
    .sort((one, other) => one.away - other.away);
  return asked === "" ? undefined : ranked[0]?.name;
}

/** `agentIdle` and `idle` are meant for `agents.idle`, `log_level` for `logLevel`. */
function forms(name: string): string[] {
  const last = name.split(".").at(-1) ?? name;
  return [...new Set([plain(name), plain(last)])];
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Letters to add, drop, change or swap with a neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const now = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      now[column] = Math.min(
        (now[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = last;
    last = now;
  }
  return last[other.length] ?? Infinity;
}
