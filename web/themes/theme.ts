// Owns the current theme: the system's dark or light one, or the user's choice. The sixteen terminal colours
// have a contrast of at least 4.5:1 on the background, except black in dark themes, which programs use as a
// background.

import { effect, signal, untracked } from "@preact/signals";
import type { ITheme } from "@xterm/xterm";
import { DARK_COLORS } from "../../protocol/palette.ts";

/** Named like the style sheet's variables, without the leading dashes. */
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

/** The user's choice; undefined to follow the system. */
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

/** Background colours of search matches and of the current match. */
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

/** Returns the theme during a search: the current match is the selection and has to stand out. */
export function findingTheme(): ITheme {
  const { activeMatchBackground: current } = foundColors();
  return { ...theme(), selectionBackground: current, selectionInactiveBackground: current };
}

export function foundColors(): FoundColors {
  return chosen.peek()?.found ?? (light?.matches ? FOUND.light : FOUND.dark);
}

/** Calls `run` whenever the theme changes; returns the unsubscriber. */
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
