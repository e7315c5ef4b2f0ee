// Owns the byte sequences of the keys that the page encodes itself. Also owns translating keys of
// the input field that collects input for a terminal being opened: either the bytes that the
// terminal would send, or text that the browser puts into the field. Pure.

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

export type FieldKey = Pick<
  KeyboardEvent,
  "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "isComposing"
>;
const BACKSPACE = "\u007F";

const SPECIAL_KEYS: Readonly<Record<string, SpecialKey>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "home",
  End: "end",
  PageUp: "page up",
  PageDown: "page down",
};

const NAMED_KEYS: Readonly<Record<string, string>> = {
  Enter: "\r",
  Escape: ESC,
  Tab: "\t",
  Insert: `${ESC}[2~`,
  Delete: `${ESC}[3~`,
  F1: `${ESC}OP`,
  F2: `${ESC}OQ`,
  F3: `${ESC}OR`,
  F4: `${ESC}OS`,
  F5: `${ESC}[15~`,
  F6: `${ESC}[17~`,
  F7: `${ESC}[18~`,
  F8: `${ESC}[19~`,
  F9: `${ESC}[20~`,
  F10: `${ESC}[21~`,
  F11: `${ESC}[23~`,
  F12: `${ESC}[24~`,
};

/** Returns the bytes that a key sends; undefined if the browser should edit the field, which holds `text`. */
export function toFieldInput(event: FieldKey, text: string): string | undefined {
  const { key, altKey: alt, ctrlKey: ctrl, shiftKey: shift } = event;
  if (event.isComposing || event.metaKey) return undefined;
  const special = SPECIAL_KEYS[key];
  if (special !== undefined) return encodeSpecialKey(special, false, { ctrl, alt });
  if (key === "Tab" && shift) return `${ESC}[Z`;
  if (key === "Backspace") {
    // Deletes text that is still in the field.
    if (!ctrl && !alt && text !== "") return undefined;
    return ctrl ? "\b" : withAlt(BACKSPACE, alt);
  }
  const named = NAMED_KEYS[key];
  if (named !== undefined) return withAlt(named, alt);
  // Text: macOS composes characters with Option, and AltGr reports Ctrl and Alt.
  if (!/^[\x20-\x7E]$/.test(key) || ctrl === alt) return undefined;
  if (alt) return toAltKey(key);
  // Ctrl+V pastes; Ctrl+Shift combinations belong to the browser.
  if (shift || key === "v") return undefined;
  const controlled = toControlKey(key);
  return controlled === key ? undefined : controlled;
}

function withAlt(data: string, isHeld: boolean): string {
  return isHeld ? `${ESC}${data}` : data;
}
