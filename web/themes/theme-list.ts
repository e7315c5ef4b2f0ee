// Owns the list of selectable themes: colours of the page and of its terminals. Loaded when the user
// selects one; "system" switches between the first two without loading this file. The others are in
// dark-themes.ts and light-themes.ts.

import { DARK_THEMES } from "./dark-themes.ts";
import { LIGHT_THEMES } from "./light-themes.ts";
import type { PageColors, Theme } from "./theme.ts";
import { DARK_TERMINAL, MATCH_COLORS, LIGHT_TERMINAL } from "./theme.ts";

const DARK_PAGE: PageColors = {
  ground: "#0d1014",
  surface: "#12161c",
  raised: "#1a2029",
  hover: "#222a35",
  line: "#262e39",
  text: "#dfe5ec",
  soft: "#a3afbd",
  good: "#8fd3b6",
  warn: "#e6c384",
  bad: "#f2929a",
  accent: "#8ab4f8",
  "on-accent": "#0d1520",
  danger: "#f2828b",
  "on-danger": "#2a0a0d",
};

const LIGHT_PAGE: PageColors = {
  ground: "#eceef0",
  surface: "#fcfcfa",
  raised: "#ffffff",
  hover: "#e2e6ea",
  line: "#d5dae0",
  text: "#1f252b",
  soft: "#56616c",
  good: "#0b6b4a",
  warn: "#7a5200",
  bad: "#b3261e",
  accent: "#1a56b0",
  "on-accent": "#ffffff",
  danger: "#b3261e",
  "on-danger": "#ffffff",
};

export const THEMES: readonly Theme[] = [
  {
    id: "dark",
    name: "Dark",
    kind: "dark",
    page: DARK_PAGE,
    terminal: DARK_TERMINAL,
    matchColors: MATCH_COLORS.dark,
  },
  {
    id: "light",
    name: "Light",
    kind: "light",
    page: LIGHT_PAGE,
    terminal: LIGHT_TERMINAL,
    matchColors: MATCH_COLORS.light,
  },
  ...DARK_THEMES,
  ...LIGHT_THEMES,
];
