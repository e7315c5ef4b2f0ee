// Shows in a window's title that the terminal in it is being recorded: the title is always visible and
// no program draws there. Bytes in, bytes out. While the mark is shown, programs' titles are parsed
// here and appended to it.

import { onOneLine } from "../../../protocol/title.ts";
import { SequenceScanner } from "../../sequences/scanner.ts";
import type { Sequence } from "../../sequences/sequence.ts";
import { LONGEST_TEXT } from "../../sequences/sequence.ts";

const MARK = "● recording";
const BETWEEN = " · ";

const ESC = "\u001B";
const BEL = "\u0007";
const ESC_BYTE = 0x1b;
const BRACKET = 0x5d;
/** First byte of a C1 control, which may begin a title. */
const C1_LEAD = 0xc2;
const KEEP = `${ESC}[22;2t`;
const GIVE_BACK = `${ESC}[23;2t`;

/** As many as xterm keeps. */
const MOST_KEPT = 10;

/** xterm reads a missing number as 0, and accepts Sun's letters after any number. */
const TITLE = /^(?:0*[012]?;|\d*[lL])/;
const ICON = /^(?:0*1;|\d*L)/;
const NUMBER_ALONE = /^\d*$/;

export class TitleMark {
  readonly #found: Sequence[] = [];
  readonly #scanner = new SequenceScanner((sequence) => this.#found.push(sequence));
  #isOn = false;
  /** Whether the window's original title is on its stack. */
  #isKept = false;
  #title = "";
  #kept: string[] = [];
  /** The icon name that a program set while the mark was shown. */
  #icon: string | undefined;
  /** Stream offset of the next byte. */
  #offset = 0;
  /** Bytes that may begin a title. */
  #held = Buffer.alloc(0);
  /** Offset where the last withheld title began. */
  #dropped = -1;

  /** Turns the mark on or off; returns what to write to the window. */
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

  /** Returns what restores the window's title; clears it in windows without a title stack. */
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
    /** Everything before this index is in `pieces` or dropped. */
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
      // A byte that may break off the title is not part of it.
      at = Math.max(at, endOfWhole(bytes));
    } else pass(this.#heldFrom(bytes, open));
    this.#held = Buffer.from(bytes.subarray(at));
    return pieces.length === 1 ? (pieces[0] ?? bytes) : Buffer.concat(pieces);
  }

  /**
   * Whether the sequence is withheld from the window; `left` is the number of buffered bytes up to its
   * end.
   */
  #isDropped({ kind, start, final, text }: Sequence, left: number): boolean {
    const isBegun = start === this.#dropped;
    // The ESC \ that ends a title is attributed to the title's start. With control characters in
    // between it stays: alone it does nothing.
    if (kind === "esc") return isBegun && final === "\\" && left === 2;
    if (kind !== "osc" || isBegun) return isBegun;
    if (!this.#isOn || !(TITLE.test(text) || isEndless(text))) return false;
    this.#dropped = start;
    return true;
  }

  /** Records a title that the window gets. One that was broken off or never ended does not count. */
  #note({ kind, text, isWhole }: Sequence): void {
    if (kind === "osc" && isWhole && isWindows(text)) this.#title = titleIn(text);
  }

  /** Returns what the window gets instead of a sequence, or after it. */
  #insteadOf(sequence: Sequence): string {
    const { kind, text, params, isWhole } = sequence;
    if (kind === "csi") return this.#stack(params);
    if (kind !== "osc") return "";
    this.#note(sequence);
    const isIcon = isWhole && ICON.test(text);
    if (isIcon && !this.#isOn) return iconWords(titleIn(text));
    if (isIcon) this.#icon = titleIn(text);
    // Always written: the title broke off an unfinished sequence before it, and so must the
    // replacement.
    return this.#line();
  }

  /** Tracks titles that a program pushes, and pops at its end. */
  #stack([what, which = 0]: readonly number[]): string {
    const isOfWindow = which === 0 || which === 2;
    if (what === 22) {
      if (isOfWindow) this.#kept = [...this.#kept, this.#title].slice(-MOST_KEPT);
      return "";
    }
    if (isOfWindow) this.#title = this.#kept.pop() ?? "";
    // The popped title may have been saved with the mark in it.
    return this.#isOn || this.#isKept ? this.#line() : "";
  }

  /** Whether the unfinished sequence, `length` bytes so far, is a title that is withheld. */
  #isOpenTitle(length: number): boolean {
    const text = this.#scanner.openOsc;
    if (text === undefined) return false;
    if (this.#scanner.startedAt === this.#dropped) return true;
    if (!this.#isOn) return false;
    return TITLE.test(text) || (NUMBER_ALONE.test(text) && length > LONGEST_TEXT);
  }

  /** Returns the index from which bytes are buffered because they may begin a title. */
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

/** Whether it sets the window's title, not only the icon's. */
function isWindows(text: string): boolean {
  return TITLE.test(text) && !ICON.test(text);
}

function iconWords(name: string): string {
  return `${ESC}]1;${name}${BEL}`;
}

/** Returns where a title begins: controls between ESC and ] belong to the window. */
function introducedAt(bytes: Buffer, start: number): number {
  if (bytes[start] !== ESC_BYTE || bytes[start + 1] === BRACKET) return start;
  return Math.max(start, bytes.indexOf(BRACKET, start));
}

/** Returns the end without a trailing first byte of a C1 control, which may begin or end a title. */
function endOfWhole(bytes: Buffer): number {
  return bytes.at(-1) === C1_LEAD ? bytes.length - 1 : bytes.length;
}

/**
 * Whether the text is a number as long as the parser reads: it may be a title's, with leading zeros.
 */
function isEndless(text: string): boolean {
  return text.length >= LONGEST_TEXT && NUMBER_ALONE.test(text);
}

/** Returns the title without control characters. */
function titleIn(text: string): string {
  return onOneLine(text.replace(TITLE, ""));
}
