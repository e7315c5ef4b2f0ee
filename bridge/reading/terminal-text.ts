// Owns what a reader gets of a terminal: which bytes, as which text, and where to continue. Pure.
// Offsets are those of the raw stream, even if sequences are stripped.

import { HISTORY_BYTES, HISTORY_NEWLINE_REACH } from "../../protocol/limits.ts";
import { findCharacterStart, findTailStart, countUnfinishedTail } from "../../protocol/text.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";
import type { Span } from "./withheld-output.ts";
import { formatWithGaps } from "./withheld-output.ts";

/** Default size of a read with options. A larger result would fill an agent's context. */
export const DEFAULT_READ_BYTES = 30_000;
export const MAX_READ_BYTES = 200_000;

const NEWLINE = 0x0a;

/** Retained bytes of a terminal, as agents get them. */
export interface RetainedForAgents {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Ranges that are hidden from agents; already overwritten in `bytes`. */
  readonly hidden?: readonly Span[];
}

export interface TextSlice {
  readonly text: string;
  readonly offset: number;
  /** Offset to continue from. */
  readonly next: number;
  readonly firstRetained: number;
  /** Whether requested bytes before `offset` are missing from `text`. */
  readonly truncated: boolean;
}

export interface ReadOptions {
  /** Start offset; without it, the end of the history. */
  readonly offset?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Limits the result to the last lines. */
  readonly lines?: number | undefined;
  readonly raw?: boolean | undefined;
}

/** Returns a part of the retained bytes; `isOver`: no more output will come. */
export function readSlice(
  retained: RetainedForAgents,
  options: ReadOptions,
  isOver: boolean,
): TextSlice {
  const { offset: firstRetained, bytes } = retained;
  const maxBytes = Math.min(options.maxBytes ?? getDefaultBytes(options), MAX_READ_BYTES);
  const end = isOver ? bytes.length : bytes.length - countUnfinishedTail(bytes);
  const whole = bytes.subarray(0, end);
  const start = options.raw === true ? 0 : findTextStart(retained);
  const [from, to] = getRange(whole, start, maxBytes, options, firstRetained);
  return {
    text: formatWithGaps(retained, from, to, (begin, stop) =>
      options.raw === true ? whole.toString("utf8", begin, stop) : toPlainText(whole, begin, stop),
    ),
    offset: firstRetained + from,
    next: firstRetained + to,
    firstRetained,
    truncated: firstRetained + from > (options.offset ?? 0),
  };
}

/** Returns the default size: without offset and lines, the whole history buffer. */
function getDefaultBytes({ offset, lines }: ReadOptions): number {
  return offset === undefined && lines === undefined ? HISTORY_BYTES : DEFAULT_READ_BYTES;
}

function getRange(
  whole: Buffer,
  start: number,
  maxBytes: number,
  { offset, lines }: ReadOptions,
  firstRetained: number,
): [number, number] {
  const requested = Math.max((offset ?? 0) - firstRetained, start);
  if (lines !== undefined) {
    const from = Math.max(requested, findLineStart(whole, lines));
    // The end is more important: a line that is too long loses its beginning.
    return [findCharacterStart(whole, Math.max(from, whole.length - maxBytes)), whole.length];
  }
  return offset === undefined
    ? getTailRange(whole, start, maxBytes)
    : getHeadRange(whole, requested, maxBytes);
}

/** Returns where the last lines begin; a newline at the very end does not start another. */
function findLineStart(bytes: Buffer, lines: number): number {
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
export function readAll(
  retained: RetainedForAgents,
  offset: number | undefined,
  isOver: boolean,
): Pick<TextSlice, "text" | "offset" | "next" | "firstRetained"> {
  const { offset: firstRetained, bytes } = retained;
  const end = isOver ? bytes.length : bytes.length - countUnfinishedTail(bytes);
  const start = Math.max((offset ?? 0) - firstRetained, findTextStart(retained));
  const from = findCharacterStart(bytes, Math.min(start, end));
  const whole = bytes.subarray(0, end);
  const text = formatWithGaps(retained, from, end, (begin, stop) =>
    toPlainText(whole, begin, stop),
  );
  return { text, offset: firstRetained + from, next: firstRetained + end, firstRetained };
}

/** Returns [from, to) as text, as copied off a screen. Bytes before `from` show open sequences. */
export function toPlainText(bytes: Buffer, from: number, to: number): string {
  const between = new PlainTextDecoder();
  between.startAt(bytes, from);
  return withLineEnds(between.take(bytes.subarray(from, to)));
}

function withLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Returns where text starts: if the beginning is lost, after the first newline. */
function findTextStart({ offset, bytes }: RetainedForAgents): number {
  if (offset === 0) return 0;
  return bytes.subarray(0, HISTORY_NEWLINE_REACH).indexOf(NEWLINE) + 1;
}

/** Reads a terminal continuously, for callers that search its text. */
export class ContinuousReader {
  readonly #between = new PlainTextDecoder();
  /** Number of characters that are repeated in the next piece. */
  readonly #overlap: number;
  #last = "";
  /** Undefined before the first piece. */
  #at: number | undefined;
  readonly #offset: number;

  constructor(offset: number, overlap: number) {
    this.#offset = offset;
    this.#overlap = overlap;
  }

  /** Returns where the next piece begins. The first one needs everything that is retained. */
  get from(): number {
    return this.#at ?? 0;
  }

  /** Returns the new text, preceded by the end of the previous one. */
  text(retained: RetainedForAgents): string {
    const { offset, bytes } = retained;
    const whole = bytes.subarray(0, bytes.length - countUnfinishedTail(bytes));
    let from = 0;
    if (this.#at === undefined) {
      const start = Math.max(this.#offset - offset, findTextStart(retained));
      from = findCharacterStart(whole, Math.min(start, whole.length));
      this.#between.startAt(whole, from);
    } else if (offset !== this.#at) {
      from = findTextStart(retained);
      this.#between.reset();
    }
    this.#at = offset + whole.length;
    const text = withLineEnds(this.#last + this.#between.take(whole.subarray(from)));
    this.#last = text.slice(-this.#overlap);
    return text;
  }
}

function getTailRange(bytes: Buffer, start: number, maxBytes: number): [number, number] {
  return [Math.max(start, findTailStart(bytes, Math.min(maxBytes, HISTORY_BYTES))), bytes.length];
}

function getHeadRange(bytes: Buffer, at: number, maxBytes: number): [number, number] {
  const from = findCharacterStart(bytes, Math.min(Math.max(at, 0), bytes.length));
  const cut = bytes.subarray(from, from + maxBytes);
  const isAll = from + cut.length === bytes.length;
  return [from, from + cut.length - (isAll ? 0 : countUnfinishedTail(cut))];
}
