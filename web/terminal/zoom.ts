// Owns the font size of terminals: one for all terminals of this browser, stored across visits.

import { signal } from "@preact/signals";

const KEY = "pairpty:font";
export const NORMAL_PX = 13;
export const LEAST_PX = 7;
export const MOST_PX = 32;

export const fontSize = signal(read());

/** Changes the font size by `pixels`; resets it if undefined. */
export function zoomBy(pixels: number | undefined): void {
  fontSize.value = pixels === undefined ? NORMAL_PX : bounded(fontSize.peek() + pixels);
  try {
    if (fontSize.peek() === NORMAL_PX) globalThis.localStorage?.removeItem(KEY);
    else globalThis.localStorage?.setItem(KEY, String(fontSize.peek()));
  } catch {
    // Storage may be disabled: the size then lasts for this visit.
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
