// Owns the mark in a window's title while the terminal in it is recorded: the one place that is in
// sight all the time and that no program draws in. Bytes in, bytes out. While the mark is there no
// title of a program reaches the window: each is read here, and written behind the mark.

import { onOneLine } from "../../../protocol/title.ts";
import { SequenceScanner } from "../../sequences/scanner.ts";
import type { Sequence } from "../../sequences/sequence.ts";
import { LONGEST_TEXT } from "../../sequences/sequence.ts";

const MARK = "● recorded";
const BETWEEN = " · ";

const ESC = "\u001B";
const BEL = "\u0007";
const ESC_BYTE = 0x1b;
const BRACKET = 0x5d;
/** The first byte of a C1 control, which may begin a title. */
const C1_LEAD = 0xc2;
const KEEP = `${ESC}[22;2t`;
const GIVE_BACK = `${ESC}[23;2t`;

/** As many as xterm keeps. */
const MOST_KEPT = 10;

/** xterm takes a number that is left out for 0, and Sun's letters behind any number. */
const TITLE = /^(?:0*[012]?;|\d*[lL])/;
const ICON = /^(?:0*1;|\d*L)/;
const NUMBER_ALONE = /^\d*$/;

export class TitleMark {
  readonly #found: Sequence[] = [];
  readonly #scanner = new SequenceScanner((sequence) => this.#found.push(sequence));
  #isOn = false;
  /** Whether the window keeps the title that it had before us. */
  #isKept = false;
  #title = "";
  #kept: string[] = [];
  /** What a program called the window's icon while the mark was there. */
  #icon: string | undefined;
  /** The place in the stream of the next byte to come. */
  #offset = 0;
  /** What may be the beginning of a title. */
  #held = Buffer.alloc(0);
  /** Where the last title began that the window does not get. */
  #dropped = -1;

  /** What to write to the window. */
  turn(on: boolean): string {
    if (on === this.#isOn) return "";
    this.#isOn = on;
    const icon = on || this.#icon === undefined ? "" : iconWords(this.#icon);
    this.#icon = undefined;
    if (!on && this.#title === "") return icon + this.end();
    const keep = this.#isKept ? "" : KEEP;
    this.#isKept = true;
    return keep + icon + this.#line();
  }

  /** The window as it was; without a title, where it keeps none. */
  end(): string {
    if (!this.#isKept) return "";
    this.#isKept = false;
    return `${ESC}]2;${BEL}${GIVE_BACK}`;
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const start = this.#offset - this.#held.length;
    this.#scanner.scan(chunk, this.#offset);
    this.#offset += chunk.length;
    const pieces: Buffer[] = [];
    /** Up to here everything is in the pieces, or dropped. */
    let at = 0;
    const pass = (to: number): void => {
      if (to > at) pieces.push(bytes.subarray(at, to));
      at = Math.max(at, to);
    };
    for (const sequence of this.#found.splice(0)) {
      const end = sequence.end - start;
      const isDropped = this.#isDropped(sequence, end - at);
      if (!isDropped && !isTitleStack(sequence)) {
        this.#note(sequence);
        continue;
      }
      pass(isDropped ? introducedAt(bytes, sequence.start - start) : end);
      at = Math.max(at, end);
      pieces.push(Buffer.from(this.#insteadOf(sequence)));
    }
    const open = Math.max(at, this.#scanner.startedAt - start);
    if (this.#isOpenTitle(bytes.length - open)) {
      pass(introducedAt(bytes, open));
      this.#dropped = this.#scanner.startedAt;
      // What breaks it off is not the title's.
      at = Math.max(at, endOfWhole(bytes));
    } else pass(this.#heldFrom(bytes, open));
    this.#held = Buffer.from(bytes.subarray(at));
    return pieces.length === 1 ? (pieces[0] ?? bytes) : Buffer.concat(pieces);
  }

  /** Whether the window does not get it as it is; `left` bytes of what is at hand end with it. */
  #isDropped({ kind, start, final, text }: Sequence, left: number): boolean {
    const isBegun = start === this.#dropped;
    // The ESC \ that ended a title counts from the title's start. With controls in it, it stays: alone
    // it does nothing.
    if (kind === "esc") return isBegun && final === "\\" && left === 2;
    if (kind !== "osc" || isBegun) return isBegun;
    if (!this.#isOn || !(TITLE.test(text) || isEndless(text))) return false;
    this.#dropped = start;
    return true;
  }

  /** A title that the window gets from the program. One that was broken off, or has no end, is none. */
  #note({ kind, text, isWhole }: Sequence): void {
    if (kind === "osc" && isWhole && isWindows(text)) this.#title = titleIn(text);
  }

  /** What the window gets in place of a sequence, or behind it. */
  #insteadOf(sequence: Sequence): string {
    const { kind, text, params, isWhole } = sequence;
    if (kind === "csi") return this.#stack(params);
    if (kind !== "osc") return "";
    this.#note(sequence);
    const isIcon = isWhole && ICON.test(text);
    if (isIcon && !this.#isOn) return iconWords(titleIn(text));
    if (isIcon) this.#icon = titleIn(text);
    // Whatever the title says: it broke off what stood unfinished before it, and so does the line.
    return this.#line();
  }

  /** A title that a program keeps for later, and gives back when it ends. */
  #stack([what, which = 0]: readonly number[]): string {
    const isOfWindow = which === 0 || which === 2;
    if (what === 22) {
      if (isOfWindow) this.#kept = [...this.#kept, this.#title].slice(-MOST_KEPT);
      return "";
    }
    if (isOfWindow) this.#title = this.#kept.pop() ?? "";
    // What is given back may have been kept while the mark was in it, or before.
    return this.#isOn || this.#isKept ? this.#line() : "";
  }

  /** Whether what is unfinished is a title, of so many bytes until now, that the window does not get. */
  #isOpenTitle(length: number): boolean {
    const text = this.#scanner.openOsc;
    if (text === undefined) return false;
    if (this.#scanner.startedAt === this.#dropped) return true;
    if (!this.#isOn) return false;
    return TITLE.test(text) || (NUMBER_ALONE.test(text) && length > LONGEST_TEXT);
  }

  /** From where on bytes wait for what they are the beginning of. */
  #heldFrom(bytes: Buffer, open: number): number {
    const { length } = bytes;
    if (!this.#isOn) return length;
    const text = this.#scanner.openOsc;
    const isNumber = text !== undefined && NUMBER_ALONE.test(text);
    if (isNumber) return introducedAt(bytes, open);
    return this.#scanner.isEscape && bytes.at(-1) === ESC_BYTE ? length - 1 : endOfWhole(bytes);
  }

  #line(): string {
    const parts = [this.#isOn ? MARK : "", this.#title].filter((part) => part !== "");
    return `${ESC}]2;${parts.join(BETWEEN)}${BEL}`;
  }
}

function isTitleStack({ kind, prefix, intermediates, final, params }: Sequence): boolean {
  if (kind !== "csi" || final !== "t" || prefix + intermediates !== "") return false;
  return params[0] === 22 || params[0] === 23;
}

/** Not the icon's alone. */
function isWindows(text: string): boolean {
  return TITLE.test(text) && !ICON.test(text);
}

function iconWords(name: string): string {
  return `${ESC}]1;${name}${BEL}`;
}

/** Where a title begins: controls that stand between ESC and ] are the window's. */
function introducedAt(bytes: Buffer, start: number): number {
  if (bytes[start] !== ESC_BYTE || bytes[start + 1] === BRACKET) return start;
  return Math.max(start, bytes.indexOf(BRACKET, start));
}

/** Behind the last byte that is no C1 control's first: that may begin or end a title. */
function endOfWhole(bytes: Buffer): number {
  return bytes.at(-1) === C1_LEAD ? bytes.length - 1 : bytes.length;
}

/** A number that fills all that is read of a text: it may be a title's, with zeros before it. */
function isEndless(text: string): boolean {
  return text.length >= LONGEST_TEXT && NUMBER_ALONE.test(text);
}

/** Without control characters. */
function titleIn(text: string): string {
  return onOneLine(text.replace(TITLE, ""));
}
