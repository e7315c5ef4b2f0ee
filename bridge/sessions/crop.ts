// Owns the cropping of long output: its beginning and its end, in whole characters, with the bytes
// between them counted. Pure. Escape sequences are removed, even if cut at an edge.

import { findCharacterStart, countUnfinishedTail } from "../../protocol/text.ts";
import type { KeptPiece } from "../commands/kept-output.ts";
import { toPlainText } from "../reading/terminal-text.ts";
import { formatWithGaps } from "../reading/withheld-output.ts";

/** Share of the head; the end says more about the result. */
const HEAD_SHARE = 0.2;
/** A tail starts at a line if one begins within this distance. */
const LINE_REACH = 400;
const NEWLINE = 0x0a;
const FIRST_STEP = 1_024;

/** Range of the stream that is not shown. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

export interface CroppedText {
  readonly head: string;
  readonly cut: Cut | undefined;
  readonly tail: string;
}

/** Crops [from, to) to `maxChars`. The first piece may begin earlier, as context. */
export function crop(
  pieces: readonly KeptPiece[],
  from: number,
  to: number,
  maxChars: number,
): CroppedText {
  const first = pieces.find((piece) => piece.offset <= from && getEnd(piece) > from);
  const last = pieces.findLast((piece) => piece.offset < to && getEnd(piece) >= to);
  if (first !== undefined && first === last && findHeadEnd(first, from, to, maxChars) === to) {
    return { head: toCroppedText(first, from, to), cut: undefined, tail: "" };
  }
  const headChars = Math.floor(maxChars * HEAD_SHARE);
  const headTo = findHeadEnd(first, from, to, headChars);
  const tailFrom = findTailStart(last, headTo, to, maxChars - headChars);
  return {
    head: toCroppedText(first, from, headTo),
    cut: tailFrom > headTo ? { from: headTo, to: tailFrom } : undefined,
    tail: toCroppedText(last, tailFrom, to),
  };
}

/** Returns text from `from` on as far as it fits; `next` is where to continue. */
export function toPage(
  piece: KeptPiece | undefined,
  from: number,
  to: number,
  maxChars: number,
): { readonly text: string; readonly next: number } {
  const end = findHeadEnd(piece, from, to, maxChars);
  // Always at least one character, or reading would never advance.
  const next = end > from || piece === undefined ? end : findBoundary(piece, from + 1);
  return { text: toCroppedText(piece, from, Math.min(next, to)), next: Math.min(next, to) };
}

/** Returns where the last complete character ends; the rest of another may still follow. */
export function findWholeEnd(pieces: readonly KeptPiece[], end: number, isOver: boolean): number {
  const last = pieces.at(-1);
  return isOver || last === undefined ? end : end - countUnfinishedTail(last.bytes);
}

function getEnd({ offset, bytes }: KeptPiece): number {
  return offset + bytes.length;
}

function toCroppedText(piece: KeptPiece | undefined, from: number, to: number): string {
  if (piece === undefined || from >= to) return "";
  return formatWithGaps(piece, from - piece.offset, to - piece.offset, (start, stop) =>
    toPlainText(piece.bytes, start, stop),
  );
}

/** Returns the furthest end of [from, …) within `to` whose text fits. */
function findHeadEnd(
  piece: KeptPiece | undefined,
  from: number,
  to: number,
  maxChars: number,
): number {
  if (piece === undefined) return from;
  // Bytes after its end are lost, maybe the rest of a character.
  const end = getEnd(piece) < to ? getEnd(piece) - countUnfinishedTail(piece.bytes) : to;
  const whole = (at: number) => Math.min(findBoundary(piece, at), end);
  if (end <= from) return from;
  return whole(
    findFurthest(from, end, (at) => toCroppedText(piece, from, whole(at)).length <= maxChars),
  );
}

/** Returns the earliest start of […, to) whose text fits, at a line if one is near. */
function findTailStart(
  piece: KeptPiece | undefined,
  from: number,
  to: number,
  maxChars: number,
): number {
  if (piece === undefined) return to;
  const least = findBoundary(piece, Math.max(from, piece.offset));
  const whole = (length: number) => Math.min(findBoundary(piece, to - length), to);
  const fits = (length: number) => toCroppedText(piece, whole(length), to).length <= maxChars;
  const start = whole(findFurthest(0, to - least, fits));
  // The start of a sequence may be cut off, and the start of a line is.
  if (start === from) return start;
  const near = piece.bytes.subarray(start - piece.offset).subarray(0, LINE_REACH);
  const line = start + near.indexOf(NEWLINE) + 1;
  return line === start || line >= to ? start : line;
}

/** Returns the first position at or after `at` where a character begins. */
function findBoundary({ offset, bytes }: KeptPiece, at: number): number {
  return offset + findCharacterStart(bytes, at - offset);
}

/**
 * Returns the last value of [low, high] for which `holds` is true, given that it is true from `low`
 * up to some limit.
 */
function findFurthest(low: number, high: number, holds: (at: number) => boolean): number {
  let good = low;
  // The limit is usually near, so a long output is not read as a whole.
  for (let step = FIRST_STEP; good < high; step *= 2) {
    const next = Math.min(good + step, high);
    if (!holds(next)) return bisect(good, next, holds);
    good = next;
  }
  return high;
}

function bisect(low: number, high: number, holds: (at: number) => boolean): number {
  let [good, bad] = [low, high];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
