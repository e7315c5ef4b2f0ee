// Owns filtering a list by typed text: each typed word must occur in an item's words. Pure.

export function filterByText<T>(
  all: readonly T[],
  text: string,
  getWords: (one: T) => readonly string[],
): readonly T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return all;
  return all.filter((one) => {
    const words = getWords(one).join("\n").toLowerCase();
    return wanted.every((word) => words.includes(word));
  });
}
