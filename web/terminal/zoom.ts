// Owns the size of a terminal's letters, one for all terminals of this browser, kept over visits.

import { signal } from "@preact/signals";

const KEY = "pairpty:font";
export const NORMAL_PX = 13;
export const LEAST_PX = 7;
export const MOST_PX = 32;

export const fontSize = signal(read());

/** By so many pixels; back to the normal size without. */
export function zoomBy(pixels: number | undefined): void {
  fontSize.value = pixels === undefined ? NORMAL_PX : bounded(fontSize.peek() + pixels);
  try {
    if (fontSize.peek() === NORMAL_PX) globalThis.localStorage?.removeItem(KEY);
    else globalThis.localStorage?.setItem(KEY, String(fontSize.peek()));
  } catch {
    // A browser may keep nothing: then it holds for this visit.
  }
}

export function bounded(pixels: number): number {
  return Math.min(MOST_PX, Math.max(LEAST_PX, pixels));
}

function read(): number {
  try {
    const kept = Number(globalThis.localStorage?.getItem(KEY) ?? NORMAL_PX);
    return Number.isFinite(kept) ? bounded(kept) : NORMAL_PX;
  } catch {
    return NORMAL_PX;
  }
}
