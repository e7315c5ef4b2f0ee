// Owns the elements of boxes and blocks, whose backgrounds fill their cells. Loaded with the first
// of them. Also owns splitting a row's text into box characters and other text.

import { BOX_CHARACTERS } from "./box-characters.ts";
import "./box-drawing.css";
import { boxBackground } from "./box-glyphs.ts";

/** Each element of these has its own background, determined by its character. */
const BOX_CLASS = "box-glyph";

const ruled = new Set<string>();
let sheet: CSSStyleSheet | null | undefined;

/** Returns a row's elements with each box character, or run of a uniform one, in its own. */
export function splitRow(elements: readonly HTMLSpanElement[]): HTMLSpanElement[] {
  return elements.flatMap(split);
}

/** Cuts an element into text and box characters; each part keeps its classes and its spacing. */
function split(element: HTMLSpanElement): HTMLSpanElement[] {
  if (!BOX_CHARACTERS.test(element.textContent ?? "")) return [element];
  return splitBoxes(element.textContent ?? "").map((text) => {
    const part = document.createElement("span");
    part.className = element.className;
    part.style.cssText = element.style.cssText;
    part.textContent = text;
    const [first = ""] = text;
    if (BOX_CHARACTERS.test(first)) part.classList.add(BOX_CLASS, ruleFor(first));
    return part;
  });
}

/** Returns the class of a character, whose rule is made when it is first drawn: there are 160. */
function ruleFor(character: string): string {
  const name = `box-${character.codePointAt(0)?.toString(16)}`;
  if (ruled.has(name)) return name;
  ruled.add(name);
  if (sheet === undefined) {
    const style = document.createElement("style");
    document.head.append(style);
    ({ sheet } = style);
  }
  // Replaces only the images: the colour behind a cell belongs to the program.
  const rule = `.xterm .xterm-rows .${BOX_CLASS}.${name}`;
  const at = sheet?.insertRule(`${rule}{}`);
  const made = at === undefined ? undefined : sheet?.cssRules[at];
  if (made instanceof CSSStyleRule) setBackground(made.style, boxBackground(character) ?? "");
  return name;
}

/** Sets all of a background but its colour. */
function setBackground(style: CSSStyleDeclaration, background: string): void {
  style.background = background;
  style.removeProperty("background-color");
}

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
