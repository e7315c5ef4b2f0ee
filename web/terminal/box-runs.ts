// Owns cutting the text of a row where box characters begin and end. Pure.

import { BOX_CHARACTERS } from "./box-characters.ts";

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
