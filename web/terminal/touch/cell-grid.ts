// Owns converting between an xterm's cells and positions on the page.

import type { Terminal } from "@xterm/xterm";
import type { Point } from "./coasting.ts";
import type { CellReader, CellRange } from "./cell-ranges.ts";

export class CellGrid {
  readonly #term: Terminal;

  constructor(term: Terminal) {
    this.#term = term;
  }

  get screen(): HTMLElement | undefined {
    return this.#term.element?.querySelector<HTMLElement>(".xterm-screen") ?? undefined;
  }

  /** Height of a line, px. */
  get lineHeight(): number {
    return Math.max(1, (this.screen?.clientHeight ?? 0) / this.#term.rows);
  }

  /** Returns the cell under a point, or the nearest visible one. */
  cellAt({ x, y }: Point): number {
    const { cols, rows, buffer } = this.#term;
    const box = this.screen?.getBoundingClientRect();
    if (!box) return 0;
    const column = clampIndex(Math.floor(((x - box.left) / box.width) * cols), cols);
    const row = clampIndex(Math.floor(((y - box.top) / box.height) * rows), rows);
    return (buffer.active.viewportY + row) * cols + column;
  }

  /** Returns the upper left corner of a cell on the page, even if it is scrolled out of view. */
  getCorner(cell: number): Point {
    const { cols, rows, buffer } = this.#term;
    const box = this.screen?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    const row = Math.floor(cell / cols) - buffer.active.viewportY;
    return {
      x: box.left + ((cell % cols) * box.width) / cols,
      y: box.top + (row * box.height) / rows,
    };
  }

  get cells(): CellReader {
    const { cols, buffer } = this.#term;
    const { active } = buffer;
    return {
      cols,
      rows: active.length,
      at: (column, row) => active.getLine(row)?.getCell(column)?.getChars(),
      isWrapped: (row) => active.getLine(row)?.isWrapped === true,
    };
  }

  /** Current selection, read from xterm because lines dropped from the scrollback shift it. */
  get selected(): CellRange | undefined {
    const position = this.#term.getSelectionPosition();
    if (!position) return undefined;
    const { cols } = this.#term;
    const { start, end } = position;
    const range = { from: start.y * cols + start.x, to: end.y * cols + end.x };
    return range.to > range.from ? range : undefined;
  }

  select({ from, to }: CellRange): void {
    const { cols } = this.#term;
    this.#term.select(from % cols, Math.floor(from / cols), to - from);
  }
}

function clampIndex(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
