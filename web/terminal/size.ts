// Owns who sizes a terminal and how a screen of another size is shown. Pure.
// One size holds for all viewers, so a page claims it only with a reason.

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/**
 * typed: the user's keystroke is about to be sent. refit: the panel's size changed or it came into
 * view. asked: the user pressed the button that says so.
 */
export type Reason = "typed" | "refit" | "asked";

export interface Claimant {
  /** A request for a size would be granted, as things stand. */
  readonly mayEdit: boolean;
  /** The page is looked at, and this terminal on it. */
  readonly visible: boolean;
  /** This page opened the terminal or was the last to type, as far as it can know. */
  readonly mine: boolean;
  /** What fits here; undefined while the panel has no size. */
  readonly fits: Size | undefined;
  readonly current: Size;
}

/** The size to ask for, if any. Reconnecting is no reason, so there is none for it. */
export function claim(reason: Reason, by: Claimant): Size | undefined {
  if (!by.mayEdit || !by.visible || !by.fits || same(by.fits, by.current)) return undefined;
  return reason !== "refit" || by.mine ? by.fits : undefined;
}

/**
 * Takes a size the room announced off the ones we asked for. The sizes of a quick drag come back
 * one by one; only what we never asked for is somebody else's.
 */
export function answered(asked: readonly Size[], size: Size): readonly Size[] | undefined {
  const at = asked.findIndex((one) => same(one, size));
  return at < 0 ? undefined : asked.slice(at + 1);
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
