// Owns filtering a list by typed text: each typed word must occur in an item's words. Pure.

export function matching<T>(
  all: readonly T[],
  text: string,
  wordsOf: (one: T) => readonly string[],
): readonly T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return all;
  return all.filter((one) => {
    const words = wordsOf(one).join("\n").toLowerCase();
    return wanted.every((word) => words.includes(word));
  });
}
