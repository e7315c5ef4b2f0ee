// Owns the pure choice of where a screen starts if earlier bytes are gone, or too many.

import type { ScreenMark } from "../../protocol/host.ts";
import { KiB } from "../../protocol/limits.ts";
import { ENTER_ALTERNATE } from "../sequences/mode-table.ts";

/** More than a thousand long lines; older ones would have scrolled away. */
export const REBUILD_BYTES = 512 * KiB;

/** The host's distance between marks: after this many bytes, changed modes have a mark. */
const MARK_BYTES = 64 * KiB;

export interface Mark {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly modes: string;
}

export interface ScreenStart extends Mark {
  /** Whether the start has no mark: the first line may be incomplete, and is skipped. */
  readonly isWithinLine: boolean;
}

/** Returns the host's marks with all modes filled in. */
export function fillModes(marks: readonly ScreenMark[]): Mark[] {
  let modes = "";
  return marks.map((mark) => {
    modes = mark.modes ?? modes;
    return { ...mark, modes };
  });
}

/** Chooses the start; `first` and `end` are the retained range, and `marks` is not empty. */
export function chooseStart(marks: readonly Mark[], first: number, end: number): ScreenStart {
  const isAlternate = marks.at(-1)?.modes.includes(ENTER_ALTERNATE) ?? false;
  // A full-screen program may have drawn something long ago and not since.
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
