// Owns the theme in use: the system's dark or light one, or the one that was chosen. All sixteen colours
// of a terminal keep 4.5:1 on their background where programs print text in them; black on dark is a
// background by custom.

import { effect, signal, untracked } from "@preact/signals";
import type { ITheme } from "@xterm/xterm";
import { DARK_COLORS } from "../../protocol/palette.ts";

/** Names as the style sheet has them, without the dashes before. */
export type PageColors = Readonly<
  Record<
    | "ground"
    | "surface"
    | "raised"
    | "hover"
    | "line"
    | "text"
    | "soft"
    | "good"
    | "warn"
    | "bad"
    | "accent"
    | "on-accent"
    | "danger"
    | "on-danger",
    string
  >
>;

export interface Theme {
  readonly id: string;
  readonly name: string;
  readonly kind: "dark" | "light";
  readonly page: PageColors;
  readonly terminal: ITheme;
  readonly found: FoundColors;
}

/** Undefined where the system decides. */
export const chosen = signal<Theme | undefined>(undefined);

export const DARK: ITheme = {
  ...DARK_COLORS,
  cursorAccent: "#12161c",
  selectionBackground: "#31465c",
  selectionInactiveBackground: "#2a3440",
};

export const LIGHT: ITheme = {
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
export const FOUND: Record<"dark" | "light", FoundColors> = {
  dark: found("#4a4020", "#7d5200"),
  light: found("#f3e3ae", "#f0b83c"),
};

export function found(all: string, current: string): FoundColors {
  return {
    matchBackground: all,
    matchOverviewRuler: all,
    activeMatchBackground: current,
    activeMatchColorOverviewRuler: current,
  };
}

const light = globalThis.matchMedia?.("(prefers-color-scheme: light)");

export function theme(): ITheme {
  return chosen.peek()?.terminal ?? (light?.matches ? LIGHT : DARK);
}

/** While a search is on: the hit that it stands at is what is selected, and has to stand out. */
export function findingTheme(): ITheme {
  const { activeMatchBackground: current } = foundColors();
  return { ...theme(), selectionBackground: current, selectionInactiveBackground: current };
}

export function foundColors(): FoundColors {
  return chosen.peek()?.found ?? (light?.matches ? FOUND.light : FOUND.dark);
}

export function onThemeChange(run: () => void): () => void {
  light?.addEventListener("change", run);
  let isFirst = true;
  const unwatch = effect(() => {
    void chosen.value;
    if (!isFirst) untracked(run);
    isFirst = false;
  });
  return () => {
    light?.removeEventListener("change", run);
    unwatch();
  };
}
