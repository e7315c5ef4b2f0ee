// Owns a selection by touch in one terminal: started by a long press, extended by dragging or by
// its handles, until it is cleared. Also owns converting between an xterm's cells and positions on
// the page. And which cells a finger selects: the word under it, extended by dragging. Cells are
// numbered through all lines of the scrollback.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Point } from "./gestures.ts";

/** Distance from the edge within which a drag scrolls, and the scroll interval. */
const EDGE_SCROLL = { px: 18, ms: 70 };

/** Position of the finger that selects, where the toolbar appears. */
export interface FingerPosition extends Point {
  /** False while the finger is still dragging. */
  readonly isSettled: boolean;
}

export class FingerSelection {
  readonly finger = signal<FingerPosition | undefined>(undefined);
  /** Incremented when cells move on the page, so that the overlay is redrawn. */
  readonly moves = signal(0);
  readonly grid: CellGrid;
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  #edgeTimer: ReturnType<typeof setInterval> | undefined;
  #word: CellRange | undefined;

  /** Listens until the terminal is disposed. */
  constructor(host: HTMLElement, term: Terminal) {
    this.#host = host;
    this.#term = term;
    this.grid = new CellGrid(term);
    term.onSelectionChange(() => this.#onChange());
    term.onRender(() => {
      if (this.finger.peek()) this.moves.value += 1;
    });
  }

  get text(): string {
    return this.#term.getSelection();
  }

  begin(at: Point, isSettled: boolean): void {
    this.#word = wordAt(this.grid.cells, this.grid.cellAt(at));
    this.clear();
    if (this.#word) this.grid.select(this.#word);
    this.#setFinger(at, isSettled);
  }

  extend(to: Point): void {
    const cell = this.grid.cellAt(to);
    this.#word ??= { from: cell, to: cell + 1 };
    this.grid.select(extendTo(this.#word, cell));
    this.#scrollAtEdge(to, () => this.extend(to));
    this.#setFinger(to, false);
  }

  /** Moves one end of the selection to a point. */
  drag(end: "from" | "to", to: Point): void {
    const range = this.grid.selected;
    if (range) this.grid.select(moveEnd(range, end, this.grid.cellAt(to)));
    this.#scrollAtEdge(to, () => this.drag(end, to));
    this.#setFinger(to, false);
  }

  settle(): void {
    clearInterval(this.#edgeTimer);
    const finger = this.finger.peek();
    if (finger) this.#setFinger(finger, true);
  }

  selectAll(): void {
    this.#term.selectAll();
  }

  clear(): void {
    this.finger.value = undefined;
    this.#term.clearSelection();
  }

  dispose(): void {
    clearInterval(this.#edgeTimer);
  }

  #setFinger({ x, y }: Point, isSettled: boolean): void {
    this.finger.value = { x, y, isSettled };
  }

  #scrollAtEdge({ y }: Point, again: () => void): void {
    clearInterval(this.#edgeTimer);
    const { top, bottom } = this.#host.getBoundingClientRect();
    const isAbove = y < top + EDGE_SCROLL.px;
    if (!isAbove && y <= bottom - EDGE_SCROLL.px) return;
    const lines = isAbove ? -1 : 1;
    const { viewportY, baseY } = this.#term.buffer.active;
    if (viewportY + lines < 0 || viewportY + lines > baseY) return;
    this.#edgeTimer = setInterval(() => {
      this.#term.scrollLines(lines);
      again();
    }, EDGE_SCROLL.ms);
  }

  #onChange(): void {
    const finger = this.finger.peek();
    if (!finger) return;
    // Typing clears the selection.
    if (finger.isSettled && !this.#term.hasSelection()) this.finger.value = undefined;
    else this.moves.value += 1;
  }
}

class CellGrid {
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

/** Half-open range of cells: `to` is excluded. */
interface CellRange {
  readonly from: number;
  readonly to: number;
}

/** Read access to a terminal's lines for finding words. */
export interface CellReader {
  readonly cols: number;
  readonly rows: number;
  /** Returns a cell's character; "" for the second cell of a wide one. */
  at(column: number, row: number): string | undefined;
  /** Whether a line continues the one before it. */
  isWrapped(row: number): boolean;
}

/** Characters that end a word; paths and URLs are one word. */
const SEPARATOR = /^[\s()[\]{}'"`,;|<>│]$/;

/** Bounds the search in a very long line without separators. */
const MAX_CELLS = 4096;

/** Undefined where there is none. */
export function wordAt(cells: CellReader, cell: number): CellRange | undefined {
  const isPart = (one: number): boolean => {
    const [column, row] = [one % cells.cols, Math.floor(one / cells.cols)];
    if (one < 0 || row >= cells.rows) return false;
    const char = cells.at(column, row);
    // Empty: either the second cell of a wide character or a blank cell.
    if (char === "") return column > 0 && isWide(cells.at(column - 1, row));
    return char !== undefined && !SEPARATOR.test(char);
  };
  const joins = (one: number): boolean =>
    one % cells.cols !== 0 || cells.isWrapped(Math.floor(one / cells.cols));
  if (!isPart(cell)) return undefined;
  let [from, to] = [cell, cell + 1];
  while (cell - from < MAX_CELLS && joins(from) && isPart(from - 1)) from -= 1;
  while (to - cell < MAX_CELLS && joins(to) && isPart(to)) to += 1;
  return { from, to };
}

/** Extends the selection to a cell; the word where the drag began stays selected. */
export function extendTo(word: CellRange, cell: number): CellRange {
  return { from: Math.min(word.from, cell), to: Math.max(word.to, cell + 1) };
}

/** Moves one end to a cell; at least one cell stays selected. */
export function moveEnd({ from, to }: CellRange, end: "from" | "to", cell: number): CellRange {
  return end === "from"
    ? { from: Math.min(cell, to - 1), to }
    : { from, to: Math.max(cell + 1, from + 1) };
}

function isWide(char: string | undefined): boolean {
  return char !== undefined && char !== "" && !SEPARATOR.test(char) && !/^[ -~]$/.test(char);
}
