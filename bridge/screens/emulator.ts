// Owns one headless xterm: its options, its width tables, and synchronous writes. Loaded only when
// a screen is first needed: it costs more than the rest of the bridge.

import { Unicode11Addon } from "@xterm/addon-unicode11";
import type { Terminal } from "@xterm/headless";
import headless from "@xterm/headless";
import { limitRepeatCounts } from "../../protocol/repeat-limits.ts";
import type { PictureSource } from "../pictures/picture-cells.ts";
import { Colors } from "./colors.ts";
import { getInternals } from "./xterm-internals.ts";
import { toPictureSource } from "./picture-source.ts";
import { registerPicturePlaceholders } from "./picture-placeholder.ts";
import { serialize } from "./serialize.ts";

/** Maximum lines above the screen in a snapshot. */
export const SCROLLBACK_LINES = 1_000;

const XTERM_VERSION = "6.0.0";

/** xterm's minimum width. */
const MIN_COLS = 2;

export function createEmulator(cols: number, rows: number): Terminal {
  const terminal = new headless.Terminal({
    cols: Math.max(MIN_COLS, cols),
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
    logLevel: "off",
    // An editor restores the shell's title when it ends.
    windowOptions: { getWinSizeChars: true, pushTitle: true, popTitle: true },
  });
  // The same widths as the page, or a wide character would shift everything after it.
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  guardErase(terminal);
  limitRepeatCounts(terminal);
  registerPicturePlaceholders(terminal);
  return terminal;
}

/**
 * Works around xterm 6, which throws on erasing up to the cursor (CSI 1 J) in the very last cell
 * without scrollback: erases everything instead.
 */
function guardErase(terminal: Terminal): void {
  const core = getInternals(terminal);
  terminal.parser.registerCsiHandler({ final: "J" }, ([kind]) => {
    const { active } = core._bufferService.buffers;
    const isLast = active.x + 1 >= terminal.cols && active.y + 1 >= active.lines.length;
    if (kind !== 1 || !isLast) return false;
    return core._inputHandler.eraseInDisplay({ params: [2] });
  });
}

/** Writes synchronously; `write` would do the same some turns later. */
export function writeNow(terminal: Terminal, data: Uint8Array | string): void {
  void getInternals(terminal)._inputHandler.parse(data);
}

/** A terminal with queries and settings beyond xterm's own. */
export class Emulator {
  readonly terminal: Terminal;
  readonly #colors: Colors;
  #blink: boolean | undefined;
  #replies: string | undefined;

  constructor(cols: number, rows: number) {
    this.terminal = createEmulator(cols, rows);
    const reply = (text: string) => {
      // Replies count only while a query is answered: other bytes may be old.
      if (this.#replies !== undefined) this.#replies += text;
    };
    this.#colors = new Colors(this.terminal, reply);
    this.terminal.onData(reply);
    this.#registerReplies(reply);
    for (const final of ["h", "l"]) {
      this.terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(12)) this.#blink = final === "h";
        return false;
      });
    }
  }

  get title(): string {
    return getInternals(this.terminal)._inputHandler._windowTitle;
  }

  write(data: Uint8Array | string): void {
    try {
      writeNow(this.terminal, data);
    } catch {
      // An exception of xterm (see guardErase) loses the rest of these bytes, not the screen.
      getInternals(this.terminal)._inputHandler._parser.reset();
    }
  }

  /** Returns what a terminal in this state replies to a query. */
  query(question: string): string {
    this.#replies = "";
    this.write(question);
    const replies = this.#replies;
    this.#replies = undefined;
    return replies;
  }

  resize(cols: number, rows: number): void {
    const wide = Math.max(MIN_COLS, cols);
    if (this.terminal.cols !== wide || this.terminal.rows !== rows) {
      this.terminal.resize(wide, rows);
    }
  }

  serialize(): string {
    const blink = this.#blink === undefined ? "" : `\x1b[?12${this.#blink ? "h" : "l"}`;
    return serialize(this.terminal, blink + this.#colors.text());
  }

  /** Returns the cells for a picture. */
  look(): PictureSource {
    return toPictureSource(this.terminal, this.#colors);
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /** Answers queries for name and version, as other xterms do, and for the unit's number. */
  #registerReplies(reply: (text: string) => void): void {
    const { parser } = this.terminal;
    parser.registerCsiHandler({ prefix: ">", final: "q" }, ([kind]) => {
      if (kind === 0) reply(`\x1bP>|xterm.js(${XTERM_VERSION})\x1b\\`);
      return true;
    });
    parser.registerCsiHandler({ prefix: "=", final: "c" }, ([kind]) => {
      if (kind === 0) reply("\x1bP!|00000000\x1b\\");
      return true;
    });
  }
}
