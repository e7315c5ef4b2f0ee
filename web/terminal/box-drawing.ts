// Owns noticing boxes and blocks where elements draw a terminal: xterm's rows are higher than a font's
// glyphs. What draws them without gaps is loaded with the first of them. A graphics card's renderer
// draws them by itself.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { BOX_CHARACTERS } from "./box-characters.ts";
import { findRowFactory } from "./row-factory.ts";

type CreateRow = (this: object, ...args: unknown[]) => HTMLSpanElement[];

interface RowFactory {
  createRow: CreateRow;
}

/** What was drawn by its font until then is to be drawn once more. */
export const boxesLoaded = signal(false);

const mended = new WeakSet<object>();
let splitRow: ((elements: readonly HTMLSpanElement[]) => HTMLSpanElement[]) | undefined;
let loading: Promise<void> | undefined;

/** For all terminals, before a graphics card draws this one. Changes nothing if xterm has changed. */
export function drawBoxes(term: Terminal): void {
  const factory = findRowFactory(term);
  if (!isRowFactory(factory) || mended.has(factory)) return;
  mended.add(factory);
  const create = factory.createRow;
  factory.createRow = function (...args) {
    const elements = create.apply(this, args);
    // Hot path (every row that is drawn): most have no such character.
    if (!elements.some(({ textContent }) => BOX_CHARACTERS.test(textContent ?? "")))
      return elements;
    loading ??= load();
    return splitRow?.(elements) ?? elements;
  };
}

/** A font's own glyphs do where the rest cannot be loaded; the next box tries again. */
async function load(): Promise<void> {
  try {
    ({ splitRow } = await import("./box-elements.ts"));
    boxesLoaded.value = true;
  } catch {
    loading = undefined;
  }
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "createRow") === "function";
}
