// Owns drawing box and block characters without gaps in xterm's DOM renderer, whose rows are higher than a
// font's glyphs. The WebGL renderer does this itself.

import type { Terminal } from "@xterm/xterm";
import "./box-drawing.css";
import { BOX_CHARACTERS, boxBackground } from "./box-glyphs.ts";
import { splitBoxes } from "./box-parts.ts";
import { findRowFactory } from "./row-factory.ts";

type CreateRow = (this: object, ...args: unknown[]) => HTMLSpanElement[];

interface RowFactory {
  createRow: CreateRow;
}

/** Class of every element that is drawn by its background instead of its glyph. */
const BOX_CLASS = "box-glyph";

const mended = new WeakSet<object>();
const ruled = new Set<string>();
let sheet: CSSStyleSheet | null | undefined;

/** Patches the DOM renderer for all terminals, before WebGL takes over; does nothing if xterm's internals changed. */
export function drawBoxes(term: Terminal): void {
  const factory = findRowFactory(term);
  if (!isRowFactory(factory) || mended.has(factory)) return;
  mended.add(factory);
  const create = factory.createRow;
  factory.createRow = function (...args) {
    const elements = create.apply(this, args);
    // Hot path (every drawn row): most have no box character.
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

/** Returns the class of a character; adds its style rule on first use, as there are 160 characters. */
function ruleFor(character: string): string {
  const name = `box-${character.codePointAt(0)?.toString(16)}`;
  if (ruled.has(name)) return name;
  ruled.add(name);
  if (sheet === undefined) {
    const style = document.createElement("style");
    document.head.append(style);
    ({ sheet } = style);
  }
  // Sets only background images: the program determines the background colour.
  const rule = `.xterm .xterm-rows .${BOX_CLASS}.${name}`;
  const at = sheet?.insertRule(`${rule}{}`);
  const made = at === undefined ? undefined : sheet?.cssRules[at];
  if (made instanceof CSSStyleRule) setBackground(made.style, boxBackground(character) ?? "");
  return name;
}

/** Sets the background except its colour. */
function setBackground(style: CSSStyleDeclaration, background: string): void {
  style.background = background;
  style.removeProperty("background-color");
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "createRow") === "function";
}
