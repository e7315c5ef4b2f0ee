// Owns how a screen of another size is shown, and what is news about our own. Pure.
// One size holds for all viewers; the bridge says which.

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** What a page has room for, and whether anybody looks at it. */
export interface View extends Size {
  readonly visible: boolean;
}

/** The font size at which `size` fits where `fits` fits at `base`; a floor keeps it legible. */
export function fontFor(base: number, least: number, fits: Size, size: Size): number {
  const scale = Math.min(1, fits.cols / size.cols, fits.rows / size.rows);
  // Half pixels down: rounding up would cut the last column.
  return Math.max(least, Math.floor(base * scale * 2) / 2);
}

export function same(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

/** Of a page that nobody looks at, only that is worth saying: it sizes nothing. */
export function sameView(a: View, b: View): boolean {
  return a.visible === b.visible && (!a.visible || same(a, b));
}
