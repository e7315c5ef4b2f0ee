// Owns measuring glyph widths for xterm's DOM renderer. xterm measures each character alone, with a layout
// of the whole page for each; here the printable ASCII characters are measured together, with one layout.

import type { Terminal } from "@xterm/xterm";
import { findInternals } from "./xterm-patches.ts";

const FIRST = 0x20;
const COUNT = 0x7f - FIRST;
/** As many as xterm repeats a character, so that widths are the same fractions. */
const REPEAT = 32;

type Measure = (this: WidthCache, text: string, variant: number) => number;

interface WidthCache {
  _flat: Float32Array;
  _measure: Measure;
  _measureElements: HTMLElement[];
}

const patched = new WeakSet<object>();

/** Patches the width cache of all terminals; does nothing if xterm's internals changed. */
export function measureTogether(term: Terminal): void {
  const cache = findInternals(term, "_widthCache");
  if (!isWidthCache(cache)) return;
  const prototype: WidthCache = Object.getPrototypeOf(cache);
  if (patched.has(prototype)) return;
  patched.add(prototype);
  const measure = prototype._measure;
  prototype._measure = function (text, variant) {
    const [regular] = this._measureElements;
    const index = text.charCodeAt(0) - FIRST;
    if (variant !== 0 || text.length !== 1 || !regular || !(index >= 0 && index < COUNT))
      return measure.call(this, text, variant);
    const copies = Array.from({ length: COUNT }, (_, at) => {
      const copy = document.createElement("span");
      copy.className = regular.className;
      copy.style.cssText = regular.style.cssText;
      copy.textContent = String.fromCharCode(FIRST + at).repeat(REPEAT);
      return copy;
    });
    regular.after(...copies);
    const widths = copies.map(({ offsetWidth }) => offsetWidth / REPEAT);
    for (const copy of copies) copy.remove();
    if (widths.every((width) => width > 0)) this._flat.set(widths, FIRST);
    return widths[index] ?? 0;
  };
}

function isWidthCache(value: object | undefined): value is WidthCache {
  if (value === undefined) return false;
  const { _flat, _measure, _measureElements } = value as Partial<WidthCache>;
  return (
    _flat instanceof Float32Array &&
    typeof _measure === "function" &&
    Array.isArray(_measureElements)
  );
}
