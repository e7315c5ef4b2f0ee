// Owns splitting a row's text into box characters and other text. Pure.

import { BOX_CHARACTERS } from "./box-characters.ts";

/** Characters that look the same over their whole width: a run of them is one element. */
const UNIFORM = /[─━═▀▁▂▃▄▅▆▇█▔░▒▓]/;

/** Splits into runs of other text, runs of one uniform box character, and other box characters one by one. */
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
