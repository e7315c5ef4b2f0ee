// Owns the pure choice of where a screen begins when the bytes before are gone, or too many.

import type { ScreenMark } from "../../protocol/host.ts";
import { KiB } from "../../protocol/limits.ts";
import { ENTER_ALTERNATE } from "../sequences/mode-table.ts";

/** Of lines that scroll by, more than a thousand long ones; older ones are never seen. */
export const REBUILD_BYTES = 512 * KiB;

/** As the host makes them: this far behind a mark, changed modes have a mark of their own. */
const MARK_BYTES = 64 * KiB;

export interface Mark {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly modes: string;
}

export interface Start extends Mark {
  /** No mark is there: the first line may be cut, and is better left out. */
  readonly isWithinLine: boolean;
}

/** Marks as the host tells them, with their modes filled in. */
export function fillModes(marks: readonly ScreenMark[]): Mark[] {
  let modes = "";
  return marks.map((mark) => {
    modes = mark.modes ?? modes;
    return { ...mark, modes };
  });
}

/** `first` and `end` are of what is retained; `marks` has at least one. */
export function chooseStart(marks: readonly Mark[], first: number, end: number): Start {
  const isAlternate = marks.at(-1)?.modes.includes(ENTER_ALTERNATE) ?? false;
  // A full-screen program may have drawn something long ago and never since.
  const lowest = isAlternate ? first : Math.max(first, end - REBUILD_BYTES);
  const base = marks.findLast(({ offset }) => offset <= lowest) ?? marks[0];
  if (base === undefined) {
    return { offset: lowest, cols: 80, rows: 24, modes: "", isWithinLine: lowest > 0 };
  }
  if (base.offset >= first && lowest - base.offset < MARK_BYTES) {
    return { ...base, isWithinLine: false };
  }
  const next = marks.find(({ offset }) => offset > lowest);
  const isSettled = lowest - base.offset >= MARK_BYTES;
  if (!isSettled && next !== undefined) return { ...next, isWithinLine: false };
  return { ...base, offset: lowest, isWithinLine: true };
}
