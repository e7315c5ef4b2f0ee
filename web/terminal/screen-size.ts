// Owns fitting a screen of another window's size, and comparing sizes. Pure. A terminal has one
// size for all viewers, which the bridge determines. Also owns the font size of terminals: one for
// all terminals of this browser, stored across visits.

import { signal } from "@preact/signals";
import type { PtyRequestOf } from "../../protocol/pty-requests.ts";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Size that fits a page, and whether the page is visible. */
export type ReportedSize = Readonly<Pick<PtyRequestOf<"pty:view">, "cols" | "rows" | "visible">>;

/** Step between two tried font sizes, px. */
const FONT_STEP_PX = 0.5;

/** Tighter lines. Even tighter ones, or smaller fonts, would cut off underscores. */
const TIGHT_LINES = { lineHeight: 1.1, minFont: 9 };

export interface FontSetting {
  readonly font: number;
  readonly lineHeight: number;
}

/** For a phone in landscape with its keyboard open; `most` bounds the ratio of line height to font size. */
const LOW_SCREEN = { rows: 8, lineHeight: 1.05, most: 1.25, minFont: 8 };

/** Returns tighter lines and a font small enough for eight rows in `height` pixels. */
export function getLowSetting(font: number, height: number): FontSetting {
  const fits = Math.floor(height / LOW_SCREEN.rows / LOW_SCREEN.most);
  return {
    font: Math.min(font, Math.max(LOW_SCREEN.minFont, fits)),
    lineHeight: LOW_SCREEN.lineHeight,
  };
}

/**
 * Yields settings in which `size` may fit where `fits` fits with `normal`, best first: tighter lines before a
 * smaller font. The caller tries them, since xterm rounds cells to whole pixels; starts above the estimate.
 */
export function* candidateSettings(
  normal: FontSetting,
  { least, most }: { readonly least: number; readonly most: number },
  fits: Size,
  size: Size,
): Generator<FontSetting> {
  if (isSameSize(size, fits)) return yield normal;
  const isWithin = size.cols <= fits.cols && size.rows <= fits.rows;
  // `fits` was rounded down.
  const wide = (fits.cols + 1) / size.cols;
  const high = ((fits.rows + 1) / size.rows) * (normal.lineHeight / TIGHT_LINES.lineHeight);
  const guess = Math.ceil(normal.font * Math.min(wide, high) * 2) / 2 + FONT_STEP_PX;
  for (let font = Math.max(least, Math.min(most, guess)); font >= least; font -= FONT_STEP_PX) {
    if (isWithin && font <= normal.font) return yield normal;
    yield { font, lineHeight: normal.lineHeight };
    // Tighter lines only avoid a smaller font; they are not used to enlarge it.
    if (font >= TIGHT_LINES.minFont && font <= normal.font)
      yield { font, lineHeight: TIGHT_LINES.lineHeight };
  }
  return undefined;
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

/** Whether two reports are equal for the bridge, which ignores the size of a hidden page. */
export function isSameReport(a: ReportedSize, b: ReportedSize): boolean {
  return a.visible === b.visible && (!a.visible || isSameSize(a, b));
}

const FONT_SIZE_KEY = "pairpty:font";
export const DEFAULT_FONT_PX = 13;
export const MIN_FONT_PX = 7;
export const MAX_FONT_PX = 32;

export const fontSize = signal(readFontSize());

/** Changes the font size by `pixels`; resets it if undefined. */
export function changeFontSize(pixels: number | undefined): void {
  fontSize.value = pixels === undefined ? DEFAULT_FONT_PX : clampFontSize(fontSize.peek() + pixels);
  try {
    if (fontSize.peek() === DEFAULT_FONT_PX) globalThis.localStorage?.removeItem(FONT_SIZE_KEY);
    else globalThis.localStorage?.setItem(FONT_SIZE_KEY, String(fontSize.peek()));
  } catch {
    // Storage may be disabled: the size then lasts for this visit.
  }
}

export function clampFontSize(pixels: number): number {
  return Math.min(MAX_FONT_PX, Math.max(MIN_FONT_PX, pixels));
}

function readFontSize(): number {
  try {
    const stored = Number(globalThis.localStorage?.getItem(FONT_SIZE_KEY) ?? DEFAULT_FONT_PX);
    return Number.isFinite(stored) ? clampFontSize(stored) : DEFAULT_FONT_PX;
  } catch {
    return DEFAULT_FONT_PX;
  }
}
