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
  readonly matchColors: MatchColors;
}

/** The user's choice; undefined to follow the system. */
export const chosenTheme = signal<Theme | undefined>(undefined);

export const DARK_TERMINAL: ITheme = {
  ...DARK_COLORS,
  cursorAccent: "#12161c",
  selectionBackground: "#31465c",
  selectionInactiveBackground: "#2a3440",
};

export const LIGHT_TERMINAL: ITheme = {
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

interface MatchColors {
  matchBackground: string;
  matchOverviewRuler: string;
  activeMatchBackground: string;
  activeMatchColorOverviewRuler: string;
}

/** Background colours of search matches and of the current match. */
export const MATCH_COLORS: Record<"dark" | "light", MatchColors> = {
  dark: createMatchColors("#4a4020", "#7d5200"),
  light: createMatchColors("#f3e3ae", "#f0b83c"),
};

export function createMatchColors(all: string, current: string): MatchColors {
  return {
    matchBackground: all,
    matchOverviewRuler: all,
    activeMatchBackground: current,
    activeMatchColorOverviewRuler: current,
  };
}

const prefersLight = globalThis.matchMedia?.("(prefers-color-scheme: light)");

export function getTheme(): ITheme {
  return chosenTheme.peek()?.terminal ?? (prefersLight?.matches ? LIGHT_TERMINAL : DARK_TERMINAL);
}

/** Returns the theme during a search: the current match is the selection and has to stand out. */
export function getSearchTheme(): ITheme {
  const { activeMatchBackground: current } = getMatchColors();
  return { ...getTheme(), selectionBackground: current, selectionInactiveBackground: current };
}

export function getMatchColors(): MatchColors {
  return (
    chosenTheme.peek()?.matchColors ??
    (prefersLight?.matches ? MATCH_COLORS.light : MATCH_COLORS.dark)
  );
}

/** Calls `run` whenever the theme changes; returns the unsubscriber. */
export function onThemeChange(run: () => void): () => void {
  prefersLight?.addEventListener("change", run);
  let isFirst = true;
  const unwatch = effect(() => {
    void chosenTheme.value;
    if (!isFirst) untracked(run);
    isFirst = false;
  });
  return () => {
    prefersLight?.removeEventListener("change", run);
    unwatch();
  };
}
