// Owns a selection by touch in one terminal: started by a long press, extended by dragging or by its handles,
// until it is cleared.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Point } from "./coasting.ts";
import { Grid } from "./grid.ts";
import type { Range } from "./selecting.ts";
import { extended, moved, wordAt } from "./selecting.ts";

/** Distance from the edge within which a drag scrolls, and the scroll interval. */
const EDGE = { px: 18, ms: 70 };

/** Position of the finger that selects, where the toolbar appears. */
export interface Held extends Point {
  /** False while the finger is still dragging. */
  readonly isSettled: boolean;
}

export class FingerSelection {
  readonly held = signal<Held | undefined>(undefined);
  /** Incremented when cells move on the page, so that the overlay is redrawn. */
  readonly moves = signal(0);
  readonly grid: Grid;
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  #edgeTimer: ReturnType<typeof setInterval> | undefined;
  #word: Range | undefined;

  /** Listens until the terminal is disposed. */
  constructor(host: HTMLElement, term: Terminal) {
    this.#host = host;
    this.#term = term;
    this.grid = new Grid(term);
    term.onSelectionChange(() => this.#onChange());
    term.onRender(() => {
      if (this.held.peek()) this.moves.value += 1;
    });
  }

  get text(): string {
    return this.#term.getSelection();
  }

  begin(at: Point, isSettled: boolean): void {
    this.#word = wordAt(this.grid.cells, this.grid.cellAt(at));
    this.letGo();
    if (this.#word) this.grid.select(this.#word);
    this.#hold(at, isSettled);
  }

  extend(to: Point): void {
    const cell = this.grid.cellAt(to);
    this.#word ??= { from: cell, to: cell + 1 };
    this.grid.select(extended(this.#word, cell));
    this.#scrollAtEdge(to, () => this.extend(to));
    this.#hold(to, false);
  }

  /** Moves one end of the selection to a point. */
  drag(end: "from" | "to", to: Point): void {
    const range = this.grid.selected;
    if (range) this.grid.select(moved(range, end, this.grid.cellAt(to)));
    this.#scrollAtEdge(to, () => this.drag(end, to));
    this.#hold(to, false);
  }

  drop(): void {
    clearInterval(this.#edgeTimer);
    const held = this.held.peek();
    if (held) this.#hold(held, true);
  }

  all(): void {
    this.#term.selectAll();
  }

  letGo(): void {
    this.held.value = undefined;
    this.#term.clearSelection();
  }

  dispose(): void {
    clearInterval(this.#edgeTimer);
  }

  #hold({ x, y }: Point, isSettled: boolean): void {
    this.held.value = { x, y, isSettled };
  }

  #scrollAtEdge({ y }: Point, again: () => void): void {
    clearInterval(this.#edgeTimer);
    const { top, bottom } = this.#host.getBoundingClientRect();
    const isAbove = y < top + EDGE.px;
    if (!isAbove && y <= bottom - EDGE.px) return;
    const lines = isAbove ? -1 : 1;
    const { viewportY, baseY } = this.#term.buffer.active;
    if (viewportY + lines < 0 || viewportY + lines > baseY) return;
    this.#edgeTimer = setInterval(() => {
      this.#term.scrollLines(lines);
      again();
    }, EDGE.ms);
  }

  #onChange(): void {
    const held = this.held.peek();
    if (!held) return;
    // Typing clears the selection.
    if (held.isSettled && !this.#term.hasSelection()) this.held.value = undefined;
    else this.moves.value += 1;
  }
}
