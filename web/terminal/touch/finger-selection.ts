// Owns a selection by touch in one terminal: started by a long press, extended by dragging or by its handles,
// until it is cleared.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Point } from "./coasting.ts";
import { CellGrid } from "./cell-grid.ts";
import type { CellRange } from "./cell-ranges.ts";
import { extendTo, moveEnd, wordAt } from "./cell-ranges.ts";

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
