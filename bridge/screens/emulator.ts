// Owns one headless xterm: its options, its width tables, and writing to it at once.
// Loaded only when a screen is first needed: it costs more than the rest of the bridge.

import { Unicode11Addon } from "@xterm/addon-unicode11";
import type { Terminal } from "@xterm/headless";
import headless from "@xterm/headless";
import { boundCounts } from "../../protocol/counts.ts";
import type { PictureSource } from "../pictures/cells.ts";
import { Colors } from "./colors.ts";
import { inside } from "./inside.ts";
import { lookOf } from "./look.ts";
import { notePictures } from "./picture-words.ts";
import { serialize } from "./serialize.ts";

/** Lines above the screen that a snapshot may have. */
export const SCROLLBACK_LINES = 1_000;

const XTERM_VERSION = "6.0.0";

/** xterm has no narrower grid. */
const LEAST_COLS = 2;

export function createEmulator(cols: number, rows: number): Terminal {
  const terminal = new headless.Terminal({
    cols: Math.max(LEAST_COLS, cols),
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
    logLevel: "off",
    // An editor gives the shell's title back when it ends.
    windowOptions: { getWinSizeChars: true, pushTitle: true, popTitle: true },
  });
  // The same widths as the page's, or a wide character would shift everything behind it.
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  guardErase(terminal);
  boundCounts(terminal);
  notePictures(terminal);
  return terminal;
}

/**
 * xterm 6 throws when the screen is erased up to the cursor (CSI 1 J) while that is in the very last
 * cell and there is no scrollback. All of it is erased then, which it can do.
 */
function guardErase(terminal: Terminal): void {
  const core = inside(terminal);
  terminal.parser.registerCsiHandler({ final: "J" }, ([kind]) => {
    const { active } = core._bufferService.buffers;
    const isLast = active.x + 1 >= terminal.cols && active.y + 1 >= active.lines.length;
    if (kind !== 1 || !isLast) return false;
    return core._inputHandler.eraseInDisplay({ params: [2] });
  });
}

/** The bytes are on the screen when this returns; `write` would do the same some turns later. */
export function writeNow(terminal: Terminal, data: Uint8Array | string): void {
  void inside(terminal)._inputHandler.parse(data);
}

/** A terminal with what a program can ask and set beyond xterm's own part of it. */
export class Emulator {
  readonly terminal: Terminal;
  readonly #colors: Colors;
  #blink: boolean | undefined;
  #replies: string | undefined;

  constructor(cols: number, rows: number) {
    this.terminal = createEmulator(cols, rows);
    const reply = (text: string) => {
      // Only the one who asks gets an answer: bytes that are fed may be of any time.
      if (this.#replies !== undefined) this.#replies += text;
    };
    this.#colors = new Colors(this.terminal, reply);
    this.terminal.onData(reply);
    this.#answerMore(reply);
    for (const final of ["h", "l"]) {
      this.terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(12)) this.#blink = final === "h";
        return false;
      });
    }
  }

  get title(): string {
    return inside(this.terminal)._inputHandler._windowTitle;
  }

  write(data: Uint8Array | string): void {
    try {
      writeNow(this.terminal, data);
    } catch {
      // A fault of xterm's (see guardErase) costs the rest of these bytes, never the screen.
      inside(this.terminal)._inputHandler._parser.reset();
    }
  }

  /** What a terminal in this state answers to a question. */
  ask(question: string): string {
    this.#replies = "";
    this.write(question);
    const replies = this.#replies;
    this.#replies = undefined;
    return replies;
  }

  resize(cols: number, rows: number): void {
    const wide = Math.max(LEAST_COLS, cols);
    if (this.terminal.cols !== wide || this.terminal.rows !== rows) {
      this.terminal.resize(wide, rows);
    }
  }

  serialize(): string {
    const blink = this.#blink === undefined ? "" : `\x1b[?12${this.#blink ? "h" : "l"}`;
    return serialize(this.terminal, blink + this.#colors.text());
  }

  /** What a picture of it shows. */
  look(): PictureSource {
    return lookOf(this.terminal, this.#colors);
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /** Who is there: the name and version that other xterms give, and a unit's number. */
  #answerMore(reply: (text: string) => void): void {
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
