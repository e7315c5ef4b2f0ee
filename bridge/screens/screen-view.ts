// Owns a screen as programs read it: lines of text, the cursor, the title.

import type { Terminal } from "@xterm/headless";

export interface ScreenView {
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly bufferType: "normal" | "alternate";
  readonly lines: string[];
  /** Whether the line continues the one above. */
  readonly wrapped: boolean[];
  readonly title: string;
  readonly offset: number;
  readonly timestamp: number;
}

export function toScreenView(terminal: Terminal, title: string, offset: number): ScreenView {
  const { cols, rows } = terminal;
  const buffer = terminal.buffer.active;
  const lines: string[] = [];
  const wrapped: boolean[] = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.baseY + row);
    lines.push(line?.translateToString(true) ?? "");
    wrapped.push(line?.isWrapped ?? false);
  }
  return {
    cols,
    rows,
    // After the last column the cursor waits to wrap, and is drawn on that column.
    cursor: { x: Math.min(buffer.cursorX, cols - 1), y: buffer.cursorY },
    bufferType: buffer.type,
    lines,
    wrapped,
    title,
    offset,
    timestamp: Date.now(),
  };
}
