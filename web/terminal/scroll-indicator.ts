// Owns the count of new lines while a terminal is scrolled back.

import { signal } from "@preact/signals";
import type { IMarker, Terminal } from "@xterm/xterm";

export class ScrollIndicator {
  /** New lines since the user scrolled back; undefined at the bottom. */
  readonly newLines = signal<number | undefined>(undefined);
  readonly #term: Terminal;
  /** The cursor's line when the user scrolled back. */
  #marker: IMarker | undefined;
  #maxLines = 0;

  /** Listens until the terminal is disposed. */
  constructor(term: Terminal) {
    this.#term = term;
    term.onScroll(() => this.#update());
    term.onWriteParsed(() => this.#update());
    term.buffer.onBufferChange(() => this.#update());
  }

  #update(): void {
    const { active } = this.#term.buffer;
    const isScrolledBack = active.type === "normal" && active.viewportY < active.baseY;
    if (!isScrolledBack) return this.#reset();
    if (this.newLines.peek() === undefined) {
      this.#marker = this.#term.registerMarker(0);
      this.#maxLines = 0;
    }
    // If the line fell out of the scrollback, the count is a minimum.
    const line = this.#marker?.isDisposed === false ? this.#marker.line : 0;
    this.#maxLines = Math.max(this.#maxLines, active.baseY + active.cursorY - line);
    this.newLines.value = this.#maxLines;
  }

  #reset(): void {
    if (this.newLines.peek() === undefined) return;
    this.#marker?.dispose();
    this.#marker = undefined;
    this.newLines.value = undefined;
  }
}

export function formatNewLines(lines: number): string {
  if (lines === 0) return "Jump to the bottom";
  return lines === 1 ? "1 new line" : `${lines} new lines`;
}
