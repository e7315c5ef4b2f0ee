// Owns what is written into the terminal that somebody sits in, around the shared one's own output.
// Text in, text out.

import { asTyped } from "../output/command-name.ts";

const ESC = "\u001B";

/** What was on the screen goes up into the scrollback; the shared screen starts at its corner. */
export function makeRoom(rows: number): string {
  return `${"\n".repeat(rows)}${ESC}[H`;
}

export function clear(): string {
  return `${ESC}[0m${ESC}[H${ESC}[2J`;
}

/**
 * On the last line, without moving the cursor: the shared screen knows nothing of it. A narrow
 * window shows as many of the parts as it has room for, the first ones first.
 */
export function notice(words: readonly string[], cols: number, rows: number): string {
  const parts = words.map((part) => asTyped(part));
  const wholes = parts.map((_, at) => ` ${parts.slice(0, at + 1).join(" · ")}`);
  const text = wholes.findLast((whole) => whole.length <= cols) ?? wholes[0] ?? "";
  const line = text.slice(0, cols).padEnd(cols);
  return `${ESC}7${ESC}[${rows};1H${ESC}[7m${line}${ESC}[0m${ESC}8`;
}

/**
 * The same, for as long as it is pinned: the shared screen has the rows above it, and scrolls there.
 * Programs undo that now and then, so it is written again after their output.
 */
export function pinned(words: readonly string[], cols: number, rows: number): string {
  return `${ESC}7${ESC}[1;${Math.max(1, rows - 1)}r${ESC}8${notice(words, cols, rows)}`;
}

/** Takes the notice off again. */
export function unnotice(rows: number): string {
  return `${ESC}7${ESC}[${rows};1H${ESC}[2K${ESC}8`;
}

/** Whatever the programs in there turned on is turned off again; the cursor stays where it is. */
export function restore(isAlternate: boolean): string {
  const off = ["9", "1000", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004", "2026"];
  const modes = off.map((mode) => `${ESC}[?${mode}l`).join("");
  const leave = isAlternate ? `${ESC}[?1049l` : "";
  // These two would move the cursor.
  const region = `${ESC}7${ESC}[?6l${ESC}[r${ESC}8`;
  const keys = `${ESC}[?1l${ESC}>${ESC}[4l${ESC}[?7h`;
  return `${leave}${modes}${region}${keys}${ESC}[0m${ESC}[?25h${ESC}[0 q\r\n`;
}

const SWITCH = new RegExp(`${ESC}\\[\\?(?:47|1047|1049)([hl])`, "g");

/** Follows whether the alternate screen is shown. Sequences are short: the last few bytes are kept. */
export class ScreenSwitch {
  isAlternate = false;
  #tail = "";

  push(text: string): void {
    const all = this.#tail + text;
    for (const [, way] of all.matchAll(SWITCH)) this.isAlternate = way === "h";
    this.#tail = all.slice(-8);
  }
}
