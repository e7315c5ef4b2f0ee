// Owns what a reader gets of a terminal: which bytes, as which text, and where to continue. Pure.
// Offsets are those of the raw stream, even if sequences are stripped.

import { HISTORY_BYTES, HISTORY_NEWLINE_REACH } from "../../protocol/limits.ts";
import { characterStart, tailStart, unfinishedTail } from "../../protocol/utf8.ts";
import { TextBetween } from "../sequences/text-between.ts";
import type { Span } from "./withheld.ts";
import { withGaps } from "./withheld.ts";

/** Default size of a read with options. A larger result would fill an agent's context. */
export const DEFAULT_READ_BYTES = 30_000;
export const MOST_READ_BYTES = 200_000;

const NEWLINE = 0x0a;

/** Retained bytes of a terminal, as agents get them. */
export interface RetainedForAgents {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Ranges that are hidden from agents; already overwritten in `bytes`. */
  readonly hidden?: readonly Span[];
}

export interface Slice {
  readonly text: string;
  readonly offset: number;
  /** Offset to continue from. */
  readonly next: number;
  readonly firstRetained: number;
  /** Whether requested bytes before `offset` are missing from `text`. */
  readonly truncated: boolean;
}

export interface Wish {
  /** Start offset; without it, the end of the history. */
  readonly offset?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Limits the result to the last lines. */
  readonly lines?: number | undefined;
  readonly raw?: boolean | undefined;
}

/** Returns a part of the retained bytes; `over`: no more output will come. */
export function slice(retained: RetainedForAgents, wish: Wish, over: boolean): Slice {
  const { offset: firstRetained, bytes } = retained;
  const most = Math.min(wish.maxBytes ?? defaultBytes(wish), MOST_READ_BYTES);
  const end = over ? bytes.length : bytes.length - unfinishedTail(bytes);
  const whole = bytes.subarray(0, end);
  const start = wish.raw === true ? 0 : surelyText(retained);
  const [from, to] = rangeOf(whole, start, most, wish, firstRetained);
  return {
    text: withGaps(retained, from, to, (begin, stop) =>
      wish.raw === true ? whole.toString("utf8", begin, stop) : plain(whole, begin, stop),
    ),
    offset: firstRetained + from,
    next: firstRetained + to,
    firstRetained,
    truncated: firstRetained + from > (wish.offset ?? 0),
  };
}

/** Returns the default size: without offset and lines, the whole history buffer. */
function defaultBytes({ offset, lines }: Wish): number {
  return offset === undefined && lines === undefined ? HISTORY_BYTES : DEFAULT_READ_BYTES;
}

function rangeOf(
  whole: Buffer,
  start: number,
  most: number,
  { offset, lines }: Wish,
  firstRetained: number,
): [number, number] {
  const asked = Math.max((offset ?? 0) - firstRetained, start);
  if (lines !== undefined) {
    const from = Math.max(asked, lineStart(whole, lines));
    // The end is what counts: a line that is too long loses its beginning.
    return [characterStart(whole, Math.max(from, whole.length - most)), whole.length];
  }
  return offset === undefined ? tail(whole, start, most) : head(whole, asked, most);
}

/** Returns where the last lines begin; a newline at the very end does not start another. */
function lineStart(bytes: Buffer, lines: number): number {
  let at = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let left = lines; left > 0 && at > 0; left--) {
    const newline = bytes.lastIndexOf(NEWLINE, at - 1);
    if (newline === -1) return 0;
    if (left === 1) return newline + 1;
    at = newline;
  }
  return at;
}

/** Returns all retained text from an offset on; `next` is where to continue. */
export function everything(
  retained: RetainedForAgents,
  offset: number | undefined,
  over: boolean,
): Pick<Slice, "text" | "offset" | "next" | "firstRetained"> {
  const { offset: firstRetained, bytes } = retained;
  const end = over ? bytes.length : bytes.length - unfinishedTail(bytes);
  const start = Math.max((offset ?? 0) - firstRetained, surelyText(retained));
  const from = characterStart(bytes, Math.min(start, end));
  const whole = bytes.subarray(0, end);
  const text = withGaps(retained, from, end, (begin, stop) => plain(whole, begin, stop));
  return { text, offset: firstRetained + from, next: firstRetained + end, firstRetained };
}

/** Returns [from, to) as text, as copied off a screen. Bytes before `from` show open sequences. */
export function plain(bytes: Buffer, from: number, to: number): string {
  const between = new TextBetween();
  between.startAt(bytes, from);
  return withLineEnds(between.take(bytes.subarray(from, to)));
}

function withLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Returns where text starts: if the beginning is lost, after the first newline. */
function surelyText({ offset, bytes }: RetainedForAgents): number {
  if (offset === 0) return 0;
  return bytes.subarray(0, HISTORY_NEWLINE_REACH).indexOf(NEWLINE) + 1;
}

/** Reads a terminal continuously, for callers that search its text. */
export class ReadingOn {
  readonly #between = new TextBetween();
  /** Number of characters that are repeated in the next piece. */
  readonly #again: number;
  #last = "";
  /** Undefined before the first piece. */
  #at: number | undefined;
  readonly #offset: number;

  constructor(offset: number, again: number) {
    this.#offset = offset;
    this.#again = again;
  }

  /** Returns where the next piece begins. The first one needs everything that is retained. */
  get from(): number {
    return this.#at ?? 0;
  }

  /** Returns the new text, preceded by the end of the previous one. */
  text(retained: RetainedForAgents): string {
    const { offset, bytes } = retained;
    const whole = bytes.subarray(0, bytes.length - unfinishedTail(bytes));
    let from = 0;
    if (this.#at === undefined) {
      const start = Math.max(this.#offset - offset, surelyText(retained));
      from = characterStart(whole, Math.min(start, whole.length));
      this.#between.startAt(whole, from);
    } else if (offset !== this.#at) {
      from = surelyText(retained);
      this.#between.reset();
    }
    this.#at = offset + whole.length;
    const text = withLineEnds(this.#last + this.#between.take(whole.subarray(from)));
    this.#last = text.slice(-this.#again);
    return text;
  }
}

function tail(bytes: Buffer, start: number, most: number): [number, number] {
  return [Math.max(start, tailStart(bytes, Math.min(most, HISTORY_BYTES))), bytes.length];
}

function head(bytes: Buffer, at: number, most: number): [number, number] {
  const from = characterStart(bytes, Math.min(Math.max(at, 0), bytes.length));
  const cut = bytes.subarray(from, from + most);
  const isAll = from + cut.length === bytes.length;
  return [from, from + cut.length - (isAll ? 0 : unfinishedTail(cut))];
}
