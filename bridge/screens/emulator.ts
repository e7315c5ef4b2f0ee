// Owns one headless xterm: its options, its width tables, and synchronous writes. Loaded only when
// a screen is first needed: it costs more than the rest of the bridge. Also owns the placeholder
// text for pictures that programs print: the bridge's screens keep only text, as do late viewers,
// agents and the start of a recording. And the conversion of a screen for pictures: the emulator's
// cells with resolved colours, as in the page's dark theme.

import { Unicode11Addon } from "@xterm/addon-unicode11";
import type { Terminal, IBufferCell } from "@xterm/headless";
import headless from "@xterm/headless";
import { limitRepeatCounts } from "../../protocol/repeat-limits.ts";
import type { PictureSource, Color, PictureCell } from "../pictures/draw.ts";
import { Colors } from "./colors.ts";
import { serialize } from "./serialize.ts";
import { getInternals } from "./xterm-internals.ts";

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

const PLACEHOLDER = Uint32Array.from("[picture]", (letter) => letter.charCodeAt(0));

/** Handles sixels and iTerm's inline files. */
export function registerPicturePlaceholders(terminal: Terminal): void {
  const { parser } = terminal;
  const printPlaceholder = (): boolean => {
    // Full-screen programs place pictures anywhere and draw over them.
    if (terminal.buffer.active.type === "alternate") return false;
    getInternals(terminal)._inputHandler.print(PLACEHOLDER, 0, PLACEHOLDER.length);
    return true;
  };
  parser.registerDcsHandler({ final: "q" }, () => {
    const column = terminal.buffer.active.cursorX;
    // A sixel leaves the cursor below its left edge, as in the page; a file leaves it after the
    // picture.
    if (printPlaceholder())
      getInternals(terminal)._inputHandler.cursorCharAbsolute({ params: [column + 1] });
    return true;
  });
  parser.registerOscHandler(
    1337,
    (data) => /^File=[^:]*\binline=1[;:]/.test(data) && printPlaceholder(),
  );
}

const BRIGHT = 8;

/** Copies all cells synchronously: the emulator may change afterwards. */
export function toPictureSource(terminal: Terminal, colors: Pick<Colors, "get">): PictureSource {
  const { cols, rows } = terminal;
  const buffer = terminal.buffer.active;
  const scratch = buffer.getNullCell();
  const cells: PictureCell[] = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.baseY + row);
    for (let column = 0; column < cols; column++) {
      const cell = line?.getCell(column, scratch);
      cells.push(cell === undefined ? blank(colors) : toPictureCell(cell, colors));
    }
  }
  const x = Math.min(buffer.cursorX, cols - 1);
  const isHidden = getInternals(terminal).coreService.isCursorHidden;
  return {
    cols,
    rows,
    getCell: (column, row) => cells[row * cols + column] ?? blank(colors),
    cursor: isHidden ? undefined : { x, y: buffer.cursorY, color: colors.get("cursor") },
  };
}

function toPictureCell(cell: IBufferCell, colors: Pick<Colors, "get">): PictureCell {
  const bold = cell.isBold() !== 0;
  const ink = getForeground(cell, bold, colors);
  const ground = getBackground(cell, colors);
  const [front, back] = cell.isInverse() === 0 ? [ink, ground] : [ground, ink];
  return {
    text: cell.isInvisible() === 0 ? cell.getChars() : "",
    width: cell.getWidth(),
    color: cell.isDim() === 0 ? front : mixColors(front, back),
    background: back,
    bold,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    overline: cell.isOverline() !== 0,
  };
}

/** Returns the text colour; as in the page, bold makes the first eight colours bright. */
function getForeground(cell: IBufferCell, bold: boolean, colors: Pick<Colors, "get">): Color {
  if (cell.isFgDefault()) return colors.get("text");
  const value = cell.getFgColor();
  if (cell.isFgRGB()) return value;
  return colors.get(bold && value < BRIGHT ? value + BRIGHT : value);
}

function getBackground(cell: IBufferCell, colors: Pick<Colors, "get">): Color {
  if (cell.isBgDefault()) return colors.get("background");
  return cell.isBgRGB() ? cell.getBgColor() : colors.get(cell.getBgColor());
}

function mixColors(one: Color, other: Color): Color {
  const part = (shift: number) => (((one >>> shift) & 0xff) + ((other >>> shift) & 0xff)) >>> 1;
  return (part(16) << 16) | (part(8) << 8) | part(0);
}

function blank(colors: Pick<Colors, "get">): PictureCell {
  return {
    text: "",
    width: 1,
    color: colors.get("text"),
    background: colors.get("background"),
    bold: false,
    italic: false,
    underline: false,
    strikethrough: false,
    overline: false,
  };
}
