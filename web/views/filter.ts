// Owns which of a list a person means by a few letters: those in whose words each of theirs is. Pure.

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
