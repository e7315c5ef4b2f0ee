// Owns the detection of box and block characters in xterm's DOM renderer, whose rows are higher than a
// font's glyphs; the code that draws them without gaps is loaded with the first of them. The WebGL
// renderer does this itself.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { BOX_CHARACTERS } from "./box-characters.ts";
import { findRowFactory } from "./xterm-patches.ts";

type CreateRow = (this: object, ...args: unknown[]) => HTMLSpanElement[];

interface RowFactory {
  createRow: CreateRow;
}

/** True once loaded; rows drawn with the font's glyphs are then drawn again. */
export const areBoxesLoaded = signal(false);

const patched = new WeakSet<object>();
let splitRow: ((elements: readonly HTMLSpanElement[]) => HTMLSpanElement[]) | undefined;
let loading: Promise<void> | undefined;

/** Patches the DOM renderer for all terminals, before WebGL takes over; does nothing if xterm's internals changed. */
export function drawBoxes(term: Terminal): void {
  const factory = findRowFactory(term);
  if (!isRowFactory(factory) || patched.has(factory)) return;
  patched.add(factory);
  const create = factory.createRow;
  factory.createRow = function (...args) {
    const elements = create.apply(this, args);
    // Hot path (every drawn row): most have no box character.
    if (!elements.some(({ textContent }) => BOX_CHARACTERS.test(textContent ?? "")))
      return elements;
    loading ??= load();
    return splitRow?.(elements) ?? elements;
  };
}

/** Loads the drawing code; on failure the font's glyphs stay, and the next box tries again. */
async function load(): Promise<void> {
  try {
    ({ splitRow } = await import("./box-elements.ts"));
    areBoxesLoaded.value = true;
  } catch {
    loading = undefined;
  }
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "createRow") === "function";
}
