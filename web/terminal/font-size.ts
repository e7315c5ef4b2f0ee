// Owns the font size of terminals: one for all terminals of this browser, stored across visits.

import { signal } from "@preact/signals";

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
