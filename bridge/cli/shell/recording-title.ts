// Shows in a window's title that the terminal in it is being recorded: the title is always visible and
// no program draws there. Bytes in, bytes out. While the mark is shown, programs' titles are parsed
// here and appended to it.

import { toOneLine } from "../../../protocol/names.ts";
import { SequenceScanner } from "../../sequences/sequence-scanner.ts";
import type { Sequence } from "../../sequences/sequence.ts";
import { MAX_TEXT_BYTES } from "../../sequences/sequence.ts";

const RECORDING_MARK = "● recording";
const SEPARATOR = " · ";

const ESC = "\u001B";
const BEL = "\u0007";
const ESC_BYTE = 0x1b;
const BRACKET = 0x5d;
/** First byte of a C1 control, which may begin a title. */
const C1_LEAD = 0xc2;
const PUSH_TITLE = `${ESC}[22;2t`;
const POP_TITLE = `${ESC}[23;2t`;

/** As many as xterm keeps. */
const MAX_STACKED_TITLES = 10;

/** xterm reads a missing number as 0, and accepts Sun's letters after any number. */
const TITLE = /^(?:0*[012]?;|\d*[lL])/;
const ICON = /^(?:0*1;|\d*L)/;
const NUMBER_ALONE = /^\d*$/;

export class TitleMark {
  readonly #sequences: Sequence[] = [];
  readonly #scanner = new SequenceScanner((sequence) => this.#sequences.push(sequence));
  #isOn = false;
  /** Whether the window's original title is on its stack. */
  #isPushed = false;
  #title = "";
  #stack: string[] = [];
  /** The icon name that a program set while the mark was shown. */
  #icon: string | undefined;
  /** Stream offset of the next byte. */
  #offset = 0;
  /** Bytes that may begin a title. */
  #buffered = Buffer.alloc(0);
  /** Offset where the last withheld title began. */
  #withheldAt = -1;

  /** Turns the mark on or off; returns what to write to the window. */
  setOn(on: boolean): string {
    if (on === this.#isOn) return "";
    this.#isOn = on;
    const icon = on || this.#icon === undefined ? "" : formatIconName(this.#icon);
    this.#icon = undefined;
    if (!on && this.#title === "") return icon + this.restore();
    const keep = this.#isPushed ? "" : PUSH_TITLE;
    this.#isPushed = true;
    return keep + icon + this.#formatTitle();
  }

  /** Returns what restores the window's title; clears it in windows without a title stack. */
  restore(): string {
    if (!this.#isPushed) return "";
    this.#isPushed = false;
    return `${ESC}]2;${BEL}${POP_TITLE}`;
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const start = this.#offset - this.#buffered.length;
    this.#scanner.scan(chunk, this.#offset);
    this.#offset += chunk.length;
    const pieces: Buffer[] = [];
    /** Everything before this index is in `pieces` or dropped. */
    let at = 0;
    const pass = (to: number): void => {
      if (to > at) pieces.push(bytes.subarray(at, to));
      at = Math.max(at, to);
    };
    for (const sequence of this.#sequences.splice(0)) {
      const end = sequence.end - start;
      const isDropped = this.#isWithheld(sequence, end - at);
      if (!isDropped && !isTitleStack(sequence)) {
        this.#recordTitle(sequence);
        continue;
      }
      pass(isDropped ? findIntroducer(bytes, sequence.start - start) : end);
      at = Math.max(at, end);
      pieces.push(Buffer.from(this.#replace(sequence)));
    }
    const open = Math.max(at, this.#scanner.startedAt - start);
    if (this.#isOpenTitle(bytes.length - open)) {
      pass(findIntroducer(bytes, open));
      this.#withheldAt = this.#scanner.startedAt;
      // A byte that may break off the title is not part of it.
      at = Math.max(at, findSafeEnd(bytes));
    } else pass(this.#bufferFrom(bytes, open));
    this.#buffered = Buffer.from(bytes.subarray(at));
    return pieces.length === 1 ? (pieces[0] ?? bytes) : Buffer.concat(pieces);
  }

  /**
   * Whether the sequence is withheld from the window; `remaining` is the number of buffered bytes
   * up to its end.
   */
  #isWithheld({ kind, start, final, text }: Sequence, remaining: number): boolean {
    const isBegun = start === this.#withheldAt;
    // The ESC \ that ends a title is attributed to the title's start. With control characters in
    // between it stays: alone it does nothing.
    if (kind === "esc") return isBegun && final === "\\" && remaining === 2;
    if (kind !== "osc" || isBegun) return isBegun;
    if (!this.#isOn || !(TITLE.test(text) || isOverlongNumber(text))) return false;
    this.#withheldAt = start;
    return true;
  }

  /** Records a title that was passed to the window. Unfinished or cancelled titles do not count. */
  #recordTitle({ kind, text, isWhole }: Sequence): void {
    if (kind === "osc" && isWhole && isWindowTitle(text)) this.#title = parseTitle(text);
  }

  /** Returns what the window gets instead of a sequence, or after it. */
  #replace(sequence: Sequence): string {
    const { kind, text, params, isWhole } = sequence;
    if (kind === "csi") return this.#trackStack(params);
    if (kind !== "osc") return "";
    this.#recordTitle(sequence);
    const isIcon = isWhole && ICON.test(text);
    if (isIcon && !this.#isOn) return formatIconName(parseTitle(text));
    if (isIcon) this.#icon = parseTitle(text);
    // Always written: the title broke off an unfinished sequence before it, and so must the
    // replacement.
    return this.#formatTitle();
  }

  /** Tracks titles that a program pushes, and pops at its end. */
  #trackStack([what, which = 0]: readonly number[]): string {
    const isOfWindow = which === 0 || which === 2;
    if (what === 22) {
      if (isOfWindow) this.#stack = [...this.#stack, this.#title].slice(-MAX_STACKED_TITLES);
      return "";
    }
    if (isOfWindow) this.#title = this.#stack.pop() ?? "";
    // The popped title may have been saved with the mark in it.
    return this.#isOn || this.#isPushed ? this.#formatTitle() : "";
  }

  /** Whether the unfinished sequence, `length` bytes so far, is a title that is withheld. */
  #isOpenTitle(length: number): boolean {
    const text = this.#scanner.openOsc;
    if (text === undefined) return false;
    if (this.#scanner.startedAt === this.#withheldAt) return true;
    if (!this.#isOn) return false;
    return TITLE.test(text) || (NUMBER_ALONE.test(text) && length > MAX_TEXT_BYTES);
  }

  /** Returns the index from which bytes are buffered because they may begin a title. */
  #bufferFrom(bytes: Buffer, open: number): number {
    const { length } = bytes;
    if (!this.#isOn) return length;
    const text = this.#scanner.openOsc;
    const isNumber = text !== undefined && NUMBER_ALONE.test(text);
    if (isNumber) return findIntroducer(bytes, open);
    return this.#scanner.isEscape && bytes.at(-1) === ESC_BYTE ? length - 1 : findSafeEnd(bytes);
  }

  #formatTitle(): string {
    const parts = [this.#isOn ? RECORDING_MARK : "", this.#title].filter((part) => part !== "");
    return `${ESC}]2;${parts.join(SEPARATOR)}${BEL}`;
  }
}

function isTitleStack({ kind, prefix, intermediates, final, params }: Sequence): boolean {
  if (kind !== "csi" || final !== "t" || prefix + intermediates !== "") return false;
  return params[0] === 22 || params[0] === 23;
}

/** Whether it sets the window's title, not only the icon's. */
function isWindowTitle(text: string): boolean {
  return TITLE.test(text) && !ICON.test(text);
}

function formatIconName(name: string): string {
  return `${ESC}]1;${name}${BEL}`;
}

/** Returns where a title begins: controls between ESC and ] belong to the window. */
function findIntroducer(bytes: Buffer, start: number): number {
  if (bytes[start] !== ESC_BYTE || bytes[start + 1] === BRACKET) return start;
  return Math.max(start, bytes.indexOf(BRACKET, start));
}

/** Returns the end without a trailing first byte of a C1 control, which may begin or end a title. */
function findSafeEnd(bytes: Buffer): number {
  return bytes.at(-1) === C1_LEAD ? bytes.length - 1 : bytes.length;
}

/**
 * Whether the text is a number as long as the parser reads: it may be a title's, with leading zeros.
 */
function isOverlongNumber(text: string): boolean {
  return text.length >= MAX_TEXT_BYTES && NUMBER_ALONE.test(text);
}

/** Returns the title without control characters. */
function parseTitle(text: string): string {
  return toOneLine(text.replace(TITLE, ""));
}
