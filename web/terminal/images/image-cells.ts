// Owns computing how many cells an image takes. Also owns the size limits for images in a terminal,
// whose output is untrusted.

import type { RequestedSize } from "./inline-file.ts";

/** Pixels of one decoded image: 2048 × 2048. Larger images are not shown. */
export const MAX_PIXELS = 4 * 1024 * 1024;

/** Pixels of all images of the page: 64 MiB. The oldest are removed first. */
export const MAX_HELD_PIXELS = 16 * 1024 * 1024;

/** More rows than any screen has; the rest of a taller image is cut off. */
export const MAX_IMAGE_ROWS = 200;

export interface AvailableSpace {
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

export interface CellSize {
  readonly columns: number;
  readonly rows: number;
}

/** Returns the cells that an image takes; parts beyond the right edge or the maximum of rows are cut off. */
export function toCells({ width, height }: Size, { cell, columns }: AvailableSpace): CellSize {
  return {
    columns: Math.max(1, Math.min(columns, Math.ceil(width / cell.width))),
    rows: Math.max(1, Math.min(MAX_IMAGE_ROWS, Math.ceil(height / cell.height))),
  };
}

/** Returns the size that the program requested, at most the screen's. */
export function fitRequestedSize(
  requested: RequestedSize,
  natural: Size,
  { cell, columns, rows }: AvailableSpace,
): Size {
  const available = { width: columns * cell.width, height: rows * cell.height };
  const wanted = {
    width: parseLength(requested.width, cell.width, available.width),
    height: parseLength(requested.height, cell.height, available.height),
  };
  const scales = [
    wanted.width === undefined ? [] : [wanted.width / natural.width],
    wanted.height === undefined ? [] : [wanted.height / natural.height],
  ].flat();
  const stretched =
    !requested.keepsAspectRatio && wanted.width !== undefined && wanted.height !== undefined
      ? { width: wanted.width, height: wanted.height }
      : scaleSize(natural, scales.length === 0 ? 1 : Math.min(...scales));
  return scaleSize(
    stretched,
    Math.min(1, available.width / stretched.width, available.height / stretched.height),
  );
}

function scaleSize({ width, height }: Size, by: number): Size {
  return { width: Math.max(1, width * by), height: Math.max(1, height * by) };
}

function parseLength(given: string, cell: number, whole: number): number | undefined {
  const [, digits, unit] = /^(\d{1,5})(px|%|)$/.exec(given) ?? [];
  const number = Number(digits);
  if (digits === undefined || number === 0) return undefined;
  if (unit === "px") return number;
  return unit === "%" ? (number / 100) * whole : number * cell;
}
