// Owns the bytes of keys, as far as the page itself has to know them. Pure.

const ESC = "\u001B";

/** Focus gained and lost; mouse reports in the three encodings that travel as text. */
const REPORT = new RegExp(`^${ESC}\\[(?:[IO]|<\\d+;\\d+;\\d+[Mm]|\\d+;\\d+;\\d+M|M[^]{3})$`);

/** Whether the emulator says this by itself, because the person looked or pointed, not typed. */
export function isReport(data: string): boolean {
  return REPORT.test(data);
}

/** The same key with Ctrl held; what has no such form stays as it is. */
export function controlOf(data: string): string {
  if (data === " ") return "\0";
  if (data === "?") return "\u007F";
  return /^[a-z@[\\\]^_]$/i.test(data)
    ? String.fromCodePoint(data.toUpperCase().charCodeAt(0) & 0x1f)
    : data;
}

/** The same with Alt held: one key, not a paste. */
export function altOf(data: string): string {
  return Array.from(data).length === 1 ? `${ESC}${data}` : data;
}

/** Keys that a phone's keyboard does not have, by name. */
export type Special = "up" | "down" | "left" | "right" | "home" | "end" | "page up" | "page down";

/** Which modifiers are held. */
export interface Held {
  readonly ctrl: boolean;
  readonly alt: boolean;
}

const FINAL: Readonly<Record<Special, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
  "page up": "5~",
  "page down": "6~",
};

/** Programs may ask for another form of arrows, Home and End. */
export function specialOf(key: Special, application: boolean, { ctrl, alt }: Held): string {
  const final = FINAL[key];
  const modifier = 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  if (final.endsWith("~"))
    return modifier === 1 ? `${ESC}[${final}` : `${ESC}[${final[0]};${modifier}~`;
  if (modifier > 1) return `${ESC}[1;${modifier}${final}`;
  return `${ESC}${application ? "O" : "["}${final}`;
}
