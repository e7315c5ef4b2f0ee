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

/** A phone on its side with the keyboard open; a line is at most so much higher than its letters. */
const LOW = { rows: 8, lineHeight: 1.05, most: 1.25, leastFont: 8 };

/** There lines are closer, and letters small enough for eight rows in so many pixels. */
export function lowSetting(font: number, height: number): Setting {
  const fits = Math.floor(height / LOW.rows / LOW.most);
  return { font: Math.min(font, Math.max(LOW.leastFont, fits)), lineHeight: LOW.lineHeight };
}

/**
 * How `size` may fit where `fits` fits as set by `normal`, best first: closer lines before smaller
 * letters. Begins above what can be: cells are whole pixels, so only trying tells. Bounds keep it
 * legible, and a small window from being blown up.
 */
export function* settingsFor(
  normal: Setting,
  { least, most }: { readonly least: number; readonly most: number },
  fits: Size,
  size: Size,
): Generator<Setting> {
  if (same(size, fits)) return yield normal;
  const isWithin = size.cols <= fits.cols && size.rows <= fits.rows;
  // What fits was rounded down.
  const wide = (fits.cols + 1) / size.cols;
  const high = ((fits.rows + 1) / size.rows) * (normal.lineHeight / CLOSER.lineHeight);
  const guess = Math.ceil(normal.font * Math.min(wide, high) * 2) / 2 + STEP;
  for (let font = Math.max(least, Math.min(most, guess)); font >= least; font -= STEP) {
    if (isWithin && font <= normal.font) return yield normal;
    yield { font, lineHeight: normal.lineHeight };
    // Lines are moved closer for letters that would be smaller than the normal ones, no larger.
    if (font >= CLOSER.leastFont && font <= normal.font)
      yield { font, lineHeight: CLOSER.lineHeight };
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
