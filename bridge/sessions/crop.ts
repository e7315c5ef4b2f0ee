// Owns what of a long output is shown: its beginning and its end, in whole characters, with the
// bytes between them counted. Pure. Escape sequences are not text, whichever edge cuts them.

import { characterStart, unfinishedTail } from "../../protocol/utf8.ts";
import type { Piece } from "../commands/kept.ts";
import { plain } from "../reading/reading.ts";
import { withGaps } from "../reading/withheld.ts";

/** The end says how it went; the beginning, what it was. */
const HEAD_SHARE = 0.2;
/** A tail begins with a whole line if one begins this near. */
const LINE_REACH = 400;
const NEWLINE = 0x0a;
const FIRST_STEP = 1_024;

/** Bytes of the stream that are not shown. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

export interface Cropped {
  readonly head: string;
  readonly cut: Cut | undefined;
  readonly tail: string;
}

/**
 * Of [from, to) of a stream, at most so many characters. `pieces` are what is kept of it, in order;
 * the first may begin before `from`: it tells whether a sequence goes on there.
 */
export function crop(
  pieces: readonly Piece[],
  from: number,
  to: number,
  mostChars: number,
): Cropped {
  const first = pieces.find((piece) => piece.offset <= from && endOf(piece) > from);
  const last = pieces.findLast((piece) => piece.offset < to && endOf(piece) >= to);
  if (first !== undefined && first === last && headEnd(first, from, to, mostChars) === to) {
    return { head: textOf(first, from, to), cut: undefined, tail: "" };
  }
  const headChars = Math.floor(mostChars * HEAD_SHARE);
  const headTo = headEnd(first, from, to, headChars);
  const tailFrom = tailStart(last, headTo, to, mostChars - headChars);
  return {
    head: textOf(first, from, headTo),
    cut: tailFrom > headTo ? { from: headTo, to: tailFrom } : undefined,
    tail: textOf(last, tailFrom, to),
  };
}

/** From `from` on as far as fits, in whole characters; `next` is where to go on. */
export function page(
  piece: Piece | undefined,
  from: number,
  to: number,
  mostChars: number,
): { readonly text: string; readonly next: number } {
  const end = headEnd(piece, from, to, mostChars);
  // What does not fit at all would never be read past: one character has to.
  const next = end > from || piece === undefined ? end : boundary(piece, from + 1);
  return { text: textOf(piece, from, Math.min(next, to)), next: Math.min(next, to) };
}

/** Where whole characters end: nothing is shown of one whose rest has not come yet. */
export function wholeEnd(pieces: readonly Piece[], end: number, isOver: boolean): number {
  const last = pieces.at(-1);
  return isOver || last === undefined ? end : end - unfinishedTail(last.bytes);
}

function endOf({ offset, bytes }: Piece): number {
  return offset + bytes.length;
}

function textOf(piece: Piece | undefined, from: number, to: number): string {
  if (piece === undefined || from >= to) return "";
  return withGaps(piece, from - piece.offset, to - piece.offset, (start, stop) =>
    plain(piece.bytes, start, stop),
  );
}

/** The furthest end of [from, …) within `to` whose text fits. */
function headEnd(piece: Piece | undefined, from: number, to: number, most: number): number {
  if (piece === undefined) return from;
  // Behind its end something is lost, maybe the rest of a character.
  const end = endOf(piece) < to ? endOf(piece) - unfinishedTail(piece.bytes) : to;
  const whole = (at: number) => Math.min(boundary(piece, at), end);
  if (end <= from) return from;
  return whole(furthest(from, end, (at) => textOf(piece, from, whole(at)).length <= most));
}

/** The earliest start of […, to) from `from` on whose text fits; with a whole line if one is near. */
function tailStart(piece: Piece | undefined, from: number, to: number, most: number): number {
  if (piece === undefined) return to;
  const least = boundary(piece, Math.max(from, piece.offset));
  const whole = (length: number) => Math.min(boundary(piece, to - length), to);
  const fits = (length: number) => textOf(piece, whole(length), to).length <= most;
  const start = whole(furthest(0, to - least, fits));
  // A sequence may have lost its beginning before it, and a line has.
  if (start === from) return start;
  const near = piece.bytes.subarray(start - piece.offset).subarray(0, LINE_REACH);
  const line = start + near.indexOf(NEWLINE) + 1;
  return line === start || line >= to ? start : line;
}

/** The next place at or behind `at` where a character begins. */
function boundary({ offset, bytes }: Piece, at: number): number {
  return offset + characterStart(bytes, at - offset);
}

/** The last of [low, high] for which it holds; it holds for `low`, and up to somewhere. */
function furthest(low: number, high: number, holds: (at: number) => boolean): number {
  let good = low;
  // What fits is near: a long output is not read as a whole to find it.
  for (let step = FIRST_STEP; good < high; step *= 2) {
    const next = Math.min(good + step, high);
    if (!holds(next)) return between(good, next, holds);
    good = next;
  }
  return high;
}

function between(low: number, high: number, holds: (at: number) => boolean): number {
  let [good, bad] = [low, high];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
