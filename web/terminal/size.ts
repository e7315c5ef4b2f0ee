// Owns how a screen of another size is shown, and what is news about our own. Pure.
// One size holds for all viewers; the bridge says which.

import type { PtyRequest } from "../../protocol/pty.ts";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** What a page has room for, and whether anybody looks at it. */
export type Seat = Readonly<
  Pick<Extract<PtyRequest, { type: "pty:view" }>, "cols" | "rows" | "visible">
>;

/** Pixels of font from one try to the next. */
const STEP = 0.5;

/** Leaves a pixel: with none, or in small letters, underscores are cut off. */
const CLOSER = { lineHeight: 1.1, leastFont: 9 };

/** How letters are set. */
export interface Setting {
  readonly font: number;
  readonly lineHeight: number;
}

/**
 * How `size` may fit where `fits` fits as set by `normal`, best first: closer lines before smaller
 * letters. Begins above what can be: cells are whole pixels, so only trying tells. A floor keeps it
 * legible.
 */
export function* settingsFor(
  normal: Setting,
  least: number,
  fits: Size,
  size: Size,
): Generator<Setting> {
  if (size.cols <= fits.cols && size.rows <= fits.rows) return yield normal;
  // What fits was rounded down.
  const wide = (fits.cols + 1) / size.cols;
  const high = ((fits.rows + 1) / size.rows) * (normal.lineHeight / CLOSER.lineHeight);
  const most = Math.min(normal.font, Math.ceil(normal.font * Math.min(wide, high) * 2) / 2 + STEP);
  for (let font = Math.max(least, most); font >= least; font -= STEP) {
    yield { font, lineHeight: normal.lineHeight };
    if (font >= CLOSER.leastFont) yield { font, lineHeight: CLOSER.lineHeight };
  }
  return undefined;
}

export function same(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

/** Of a page that nobody looks at, only that is worth saying: it sizes nothing. */
export function sameSeat(a: Seat, b: Seat): boolean {
  return a.visible === b.visible && (!a.visible || same(a, b));
}
