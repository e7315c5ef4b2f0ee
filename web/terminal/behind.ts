// Owns the count of new lines while a terminal is scrolled back.

import { signal } from "@preact/signals";
import type { IMarker, Terminal } from "@xterm/xterm";

export class Behind {
  /** New lines since the user scrolled back; undefined at the bottom. */
  readonly lines = signal<number | undefined>(undefined);
  readonly #term: Terminal;
  /** The cursor's line when the user scrolled back. */
  #mark: IMarker | undefined;
  #most = 0;

  /** Listens until the terminal is disposed. */
  constructor(term: Terminal) {
    this.#term = term;
    term.onScroll(() => this.#look());
    term.onWriteParsed(() => this.#look());
    term.buffer.onBufferChange(() => this.#look());
  }

  #look(): void {
    const { active } = this.#term.buffer;
    const isBack = active.type === "normal" && active.viewportY < active.baseY;
    if (!isBack) return this.#forget();
    if (this.lines.peek() === undefined) {
      this.#mark = this.#term.registerMarker(0);
      this.#most = 0;
    }
    // If the line fell out of the scrollback, the count is a minimum.
    const line = this.#mark?.isDisposed === false ? this.#mark.line : 0;
    this.#most = Math.max(this.#most, active.baseY + active.cursorY - line);
    this.lines.value = this.#most;
  }

  #forget(): void {
    if (this.lines.peek() === undefined) return;
    this.#mark?.dispose();
    this.#mark = undefined;
    this.lines.value = undefined;
  }
}

export function behindInWords(lines: number): string {
  if (lines === 0) return "Jump to the bottom";
  return lines === 1 ? "1 new line" : `${lines} new lines`;
}
