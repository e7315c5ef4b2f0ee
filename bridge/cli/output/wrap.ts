// Owns breaking a text between words, for a width; its own line breaks stay. Text in, text out.

/** A command in backticks is copied whole, so it stays on one line where it fits. */
const WORDS = /[^\s`]*`[^`]+`\S*|\S+/g;

/** A word that is longer than the width stays whole: it is a path or an address to be copied. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [];
  const words = (text.match(WORDS) ?? []).flatMap((word) =>
    word.length > width ? word.split(" ") : [word],
  );
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.length === 0 ? [""] : lines;
}
