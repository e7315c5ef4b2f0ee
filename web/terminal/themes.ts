// Owns the terminal's colours, dark and light. All sixteen keep 4.5:1 on their background where
// programs print text in them; black on dark and white on light are backgrounds by custom.

import type { ITheme } from "@xterm/xterm";
import { DARK_COLORS } from "../../protocol/palette.ts";

export const FONT_FAMILY =
  'ui-monospace, "SFMono-Regular", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

const DARK: ITheme = {
  ...DARK_COLORS,
  cursorAccent: "#12161c",
  selectionBackground: "#31465c",
  selectionInactiveBackground: "#2a3440",
};

const LIGHT: ITheme = {
  background: "#fcfcfa",
  foreground: "#23292f",
  cursor: "#0b7a55",
  cursorAccent: "#fcfcfa",
  selectionBackground: "#cfe0f4",
  selectionInactiveBackground: "#e2e6ea",
  black: "#23292f",
  red: "#b3261e",
  green: "#0f6b3f",
  yellow: "#805500",
  blue: "#1a56b0",
  magenta: "#8132a8",
  cyan: "#0b6577",
  white: "#5d6872",
  brightBlack: "#626d78",
  brightRed: "#c5372f",
  brightGreen: "#157a4a",
  brightYellow: "#8f6000",
  brightBlue: "#2767c9",
  brightMagenta: "#9440bd",
  brightCyan: "#107285",
  brightWhite: "#3a434c",
};

interface FoundColors {
  matchBackground: string;
  matchOverviewRuler: string;
  activeMatchBackground: string;
  activeMatchColorOverviewRuler: string;
}

/** Behind the hits of a search, and behind the one that it stands at. */
const FOUND: Record<"dark" | "light", FoundColors> = {
  dark: found("#4a4020", "#8a5a00"),
  light: found("#f3e3ae", "#f0b83c"),
};

function found(all: string, current: string): FoundColors {
  return {
    matchBackground: all,
    matchOverviewRuler: all,
    activeMatchBackground: current,
    activeMatchColorOverviewRuler: current,
  };
}

const light = globalThis.matchMedia?.("(prefers-color-scheme: light)");

export function theme(): ITheme {
  return light?.matches ? LIGHT : DARK;
}

/** While a search is on: the hit that it stands at is what is selected, and has to stand out. */
export function findingTheme(): ITheme {
  const { activeMatchBackground: current } = foundColors();
  return { ...theme(), selectionBackground: current, selectionInactiveBackground: current };
}

export function foundColors(): FoundColors {
  return light?.matches ? FOUND.light : FOUND.dark;
}

export function onThemeChange(run: () => void): () => void {
  light?.addEventListener("change", run);
  return () => light?.removeEventListener("change", run);
}
