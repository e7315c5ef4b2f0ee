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

const light = globalThis.matchMedia?.("(prefers-color-scheme: light)");

export function theme(): ITheme {
  return light?.matches ? LIGHT : DARK;
}

export function onThemeChange(run: () => void): () => void {
  light?.addEventListener("change", run);
  return () => light?.removeEventListener("change", run);
}
