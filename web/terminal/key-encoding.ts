// Owns the byte sequences of the keys that the page encodes itself. Pure.

const ESC = "\u001B";

/** Focus reports, and mouse reports in the three encodings that are valid text. */
const REPORT_SEQUENCE = new RegExp(
  `^${ESC}\\[(?:[IO]|<\\d+;\\d+;\\d+[Mm]|\\d+;\\d+;\\d+M|M[^]{3})$`,
);

/** Whether the data is a focus or mouse report of the emulator, not typed by the user. */
export function isReport(data: string): boolean {
  return REPORT_SEQUENCE.test(data);
}

/** Returns the character with Ctrl held; unchanged if it has no such form. */
export function toControlKey(data: string): string {
  if (data === " ") return "\0";
  if (data === "?") return "\u007F";
  return /^[a-z@[\\\]^_]$/i.test(data)
    ? String.fromCodePoint(data.toUpperCase().charCodeAt(0) & 0x1f)
    : data;
}

/** Returns a single character with Alt held; longer data, such as a paste, unchanged. */
export function toAltKey(data: string): string {
  return Array.from(data).length === 1 ? `${ESC}${data}` : data;
}

/** Keys that a phone's keyboard lacks. */
export type SpecialKey =
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page up"
  | "page down";

export interface HeldModifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
}

const FINAL_BYTES: Readonly<Record<SpecialKey, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  home: "H",
  end: "F",
  "page up": "5~",
  "page down": "6~",
};

/** Encodes a special key; `application` selects the application mode of arrows, Home and End. */
export function encodeSpecialKey(
  key: SpecialKey,
  application: boolean,
  { ctrl, alt }: HeldModifiers,
): string {
  const final = FINAL_BYTES[key];
  const modifier = 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  if (final.endsWith("~"))
    return modifier === 1 ? `${ESC}[${final}` : `${ESC}[${final[0]};${modifier}~`;
  if (modifier > 1) return `${ESC}[1;${modifier}${final}`;
  return `${ESC}${application ? "O" : "["}${final}`;
}
