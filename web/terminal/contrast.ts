// Owns how well text stands out from what a program puts behind it, and a detour around xterm 6: where
// it draws by elements, it takes inverse text to have the colour that is behind it, and shades that.

import type { Terminal } from "@xterm/xterm";
import { findRowFactory } from "./row-factory.ts";

/** What WCAG asks of text; `ls` alone has blue on green. Dim text has half of it. */
export const LEAST_CONTRAST = 4.5;

type Apply = (
  this: RowFactory,
  element: HTMLElement,
  behind: object,
  front: object,
  cell: { isInverse(): number },
  ...overrides: unknown[]
) => boolean;

interface RowFactory {
  _applyMinimumContrast: Apply;
  readonly _themeService: { readonly colors: { foreground: object; background: object } };
}

const mended = new WeakSet<object>();

/** For all terminals, before a graphics card draws this one. Changes nothing if xterm has changed. */
export function mendInverse(term: Terminal): void {
  const made = findRowFactory(term);
  if (!isRowFactory(made) || mended.has(made)) return;
  mended.add(made);
  const apply = made._applyMinimumContrast;
  made._applyMinimumContrast = function (element, behind, front, cell, ...overrides) {
    const { foreground, background } = this._themeService.colors;
    const drawn = front === foreground && cell.isInverse() ? background : front;
    return apply.call(this, element, behind, drawn, cell, ...overrides);
  };
}

function isRowFactory(value: object | undefined): value is RowFactory {
  return value !== undefined && typeof Reflect.get(value, "_applyMinimumContrast") === "function";
}
