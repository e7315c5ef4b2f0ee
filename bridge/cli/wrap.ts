// Owns breaking a sentence into lines of a window. Text in, text out.

/** A command in backticks is copied whole, so it stays on one line where it fits. */
const WORDS = /[^\s`]*`[^`]+`\S*|\S+/g;

/** Words are not cut; one that is longer than the window gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  const words = (text.match(WORDS) ?? []).flatMap((word) =>
    word.length > width ? word.split(" ") : [word],
  );
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
