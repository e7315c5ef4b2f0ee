// Owns translating keys of the input field that collects input for a terminal being opened: either the bytes
// that the terminal would send, or text that the browser puts into the field. Pure.

import type { SpecialKey } from "./key-encoding.ts";
import { toAltKey, toControlKey, encodeSpecialKey } from "./key-encoding.ts";

export type FieldKey = Pick<
  KeyboardEvent,
  "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "isComposing"
>;

const ESC = "\u001B";
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
