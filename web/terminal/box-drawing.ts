// Owns drawing boxes and blocks without gaps where elements draw a terminal: xterm's rows are higher
// than a font's glyphs. A graphics card's renderer draws them by itself.

import type { Terminal } from "@xterm/xterm";
import "./box-drawing.css";
import { BOX_CHARACTERS, boxBackground } from "./box-glyphs.ts";
import { splitBoxes } from "./box-parts.ts";
import { findRowFactory } from "./row-factory.ts";

type CreateRow = (this: object, ...args: unknown[]) => HTMLSpanElement[];

interface RowFactory {
  createRow: CreateRow;
}

/** Every element of these has a background of its own, by its character. */
const BOX_CLASS = "box-glyph";

const mended = new WeakSet<object>();
const ruled = new Set<string>();
let sheet: CSSStyleSheet | null | undefined;

/** For all terminals, before a graphics card draws this one. Changes nothing if xterm has changed. */
export function drawBoxes(term: Terminal): void {
  const factory = findRowFactory(term);
  if (!isRowFactory(factory) || mended.has(factory)) return;
  mended.add(factory);
  const create = factory.createRow;
  factory.createRow = function (...args) {
    const elements = create.apply(this, args);
    // Hot path (every row that is drawn): most have no such character.
    return elements.some(hasBoxes) ? elements.flatMap(split) : elements;
  };
}

function hasBoxes({ textContent }: HTMLSpanElement): boolean {
  return BOX_CHARACTERS.test(textContent ?? "");
}

/** Cuts an element into text and box characters; each part keeps its classes and its spacing. */
function split(element: HTMLSpanElement): HTMLSpanElement[] {
  if (!hasBoxes(element)) return [element];
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
  // Only the images: the colour behind a cell is the program's.
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

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "createRow") === "function";
}
