// Owns "did you mean": finding the known word nearest to a misspelt one. Pure.

/** Finds the nearest known word; undefined if over a third of the letters differ. */
export function findNearestWord(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const maxDistance = Math.max(1, Math.floor(Math.max(word.length, best.candidate.length) / 3));
  return best.distance <= maxDistance ? best.candidate : undefined;
}

/** Counts letters to add, drop, change or swap with their neighbour. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line[column] = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = line;
  }
  return last[to.length] ?? 0;
}
