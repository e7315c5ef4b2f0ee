// Owns the default colours of a terminal, for the page and for programs that query them. Dark, as
// in most terminals.

export const DARK_COLORS = {
  background: "#12161c",
  foreground: "#d7dde5",
  cursor: "#8fd3b6",
  black: "#2b333d",
  red: "#f2828b",
  green: "#8fd3b6",
  yellow: "#e6c384",
  blue: "#8ab4f8",
  magenta: "#cfa5f0",
  cyan: "#7fd1de",
  white: "#c9d1da",
  brightBlack: "#8793a1",
  brightRed: "#ff9aa2",
  brightGreen: "#a9e6cb",
  brightYellow: "#f3d9a4",
  brightBlue: "#abcaff",
  brightMagenta: "#dfbffb",
  brightCyan: "#a2e4ee",
  brightWhite: "#f4f7fa",
} as const;
