// Owns computing how many cells an image takes. Pure.

import type { Wish } from "./inline-file.ts";
import { MOST_ROWS } from "./limits.ts";

export interface Room {
  /** Size of one cell, CSS px. */
  readonly cell: { readonly width: number; readonly height: number };
  /** Columns from the cursor to the right edge. */
  readonly columns: number;
  readonly rows: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Cells {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the cells that an image takes; parts beyond the right edge or the maximum of rows are cut off. */
export function cellsOf({ width, height }: Size, { cell, columns }: Room): Cells {
  return {
    columns: Math.max(1, Math.min(columns, Math.ceil(width / cell.width))),
    rows: Math.max(1, Math.min(MOST_ROWS, Math.ceil(height / cell.height))),
  };
}

/** Returns the size that the program requested, at most the screen's. */
export function wishedSize(wish: Wish, natural: Size, { cell, columns, rows }: Room): Size {
  const most = { width: columns * cell.width, height: rows * cell.height };
  const wanted = {
    width: lengthOf(wish.width, cell.width, most.width),
    height: lengthOf(wish.height, cell.height, most.height),
  };
  const scales = [
    wanted.width === undefined ? [] : [wanted.width / natural.width],
    wanted.height === undefined ? [] : [wanted.height / natural.height],
  ].flat();
  const stretched =
    !wish.keepsShape && wanted.width !== undefined && wanted.height !== undefined
      ? { width: wanted.width, height: wanted.height }
      : scaled(natural, scales.length === 0 ? 1 : Math.min(...scales));
  return scaled(
    stretched,
    Math.min(1, most.width / stretched.width, most.height / stretched.height),
  );
}

function scaled({ width, height }: Size, by: number): Size {
  return { width: Math.max(1, width * by), height: Math.max(1, height * by) };
}

function lengthOf(given: string, cell: number, whole: number): number | undefined {
  const [, digits, unit] = /^(\d{1,5})(px|%|)$/.exec(given) ?? [];
  const number = Number(digits);
  if (digits === undefined || number === 0) return undefined;
  if (unit === "px") return number;
  return unit === "%" ? (number / 100) * whole : number * cell;
}
