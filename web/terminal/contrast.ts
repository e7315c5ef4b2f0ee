// Owns the minimum contrast of terminal text, and a workaround for xterm 6: its DOM renderer computes the
// contrast of inverse text with the wrong colour.

import type { Terminal } from "@xterm/xterm";
import { findRowFactory } from "./row-factory.ts";

/** WCAG's ratio for text; `ls` prints blue on green. xterm requires half of it for dim text. */
export const MIN_CONTRAST = 4.5;

type ApplyContrast = (
  this: RowFactory,
  element: HTMLElement,
  behind: object,
  front: object,
  cell: { isInverse(): number },
  ...overrides: unknown[]
) => boolean;

interface RowFactory {
  _applyMinimumContrast: ApplyContrast;
  readonly _themeService: { readonly colors: { foreground: object; background: object } };
}

const patched = new WeakSet<object>();

/** Patches the DOM renderer for all terminals, before WebGL takes over; does nothing if xterm's internals changed. */
export function fixInverseContrast(term: Terminal): void {
  const prototype = findRowFactory(term);
  if (!isRowFactory(prototype) || patched.has(prototype)) return;
  patched.add(prototype);
  const apply = prototype._applyMinimumContrast;
  prototype._applyMinimumContrast = function (element, behind, front, cell, ...overrides) {
    const { foreground, background } = this._themeService.colors;
    const drawn = front === foreground && cell.isInverse() ? background : front;
    return apply.call(this, element, behind, drawn, cell, ...overrides);
  };
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "_applyMinimumContrast") === "function";
}
