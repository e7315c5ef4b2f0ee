// Owns which characters are boxes and blocks (U+2500 to U+259F), and how a row is cut into them. Pure.

/** Matches every character that is drawn here. */
export const BOX_CHARACTERS = /[\u2500-\u259F]/;

/** Characters that look the same all over their width: a run of them is one element. */
const UNIFORM = /[─━═▀▁▂▃▄▅▆▇█▔░▒▓]/;

/** Returns runs of other text, runs of one uniform box character, and all other box characters singly. */
export function splitBoxes(text: string): string[] {
  const parts: string[] = [];
  for (const character of text) {
    const last = parts.at(-1) ?? "";
    const [first = ""] = last;
    const isBox = BOX_CHARACTERS.test(character);
    const joins = isBox
      ? first === character && UNIFORM.test(character)
      : last !== "" && !BOX_CHARACTERS.test(first);
    if (joins) parts[parts.length - 1] = last + character;
    else parts.push(character);
  }
  return parts;
}
