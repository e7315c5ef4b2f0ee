// Wraps text between words; keeps its own line breaks. Makes others' text safe for a terminal:
// control, bidi and zero-width characters, which could control it or hide or reverse text, become
// \u escapes, as in JSON. Pure.

/** A command in backticks stays on one line if it fits, so that it can be copied. */
const WORDS = /[^\s`]*`[^`]+`\S*|\S+/g;

/** Wraps the text. A word longer than the width stays whole: it is a path or address to copy. */
export function wrapText(text: string, width: number): string[] {
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

/** All but line ends and tabs, which JSON strings never contain raw. */
const UNSAFE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the escaped text; JSON keeps its meaning. */
export function escapeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, (letter) => {
    const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
