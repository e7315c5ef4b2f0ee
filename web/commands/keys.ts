// Owns the notation of keys, matching them with events, and showing them. The notation is ARIA's,
// "Alt+N"; "Alt+1…9" stands for nine keys.

export type KeyPress = Pick<
  KeyboardEvent,
  "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code"
>;

const DIGITS = "1…9";

/** Labels of keys that differ from their names. */
const KEY_LABELS: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  PageUp: "PgUp",
  PageDown: "PgDn",
  Escape: "Esc",
  [DIGITS]: "1 … 9",
};

/** Keys by position, because Alt changes their character on some keyboards. */
const SYMBOL_KEYS: Readonly<Record<string, string>> = {
  Slash: "/",
  Equal: "=",
  Minus: "-",
  Comma: ",",
};

export function isPressed(keys: string, event: KeyPress): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  if (event.altKey !== has("Alt") || event.ctrlKey !== has("Control")) return false;
  if (event.shiftKey !== has("Shift") || event.metaKey !== has("Meta")) return false;
  if (key === DIGITS) return getDigit(event) > 0;
  if (/^\d$/.test(key)) return getDigit(event) === Number(key);
  return key.length === 1 ? getLetter(event) === key.toLowerCase() : event.key === key;
}

/** Returns the digit by the key's position, since Alt may change its character; -1 if none. */
export function getDigit({ code }: KeyPress): number {
  return Number(/^Digit(\d)$/.exec(code)?.[1] ?? -1);
}

/** Returns one label per key, for `<kbd>`. */
export function toKeyCaps(keys: string): string[] {
  return keys.split("+").map((key) => KEY_LABELS[key] ?? (key === "Control" ? "Ctrl" : key));
}

/** Formats keys for tooltips. */
export function formatKeys(keys: string): string {
  return toKeyCaps(keys).join("+");
}

/** Returns the keys for one of the nine digits. */
export function withDigit(keys: string, digit: number): string {
  return keys.replace(DIGITS, String(digit));
}

/** Returns the letter on the key; by position where macOS composes another one with Alt. */
function getLetter({ key, code }: KeyPress): string {
  if (/^[a-z/=,-]$/i.test(key)) return key.toLowerCase();
  // Keyboards where "=" needs Shift often have an unshifted plus, which people press instead.
  if (key === "+") return "=";
  return SYMBOL_KEYS[code] ?? code.replace(/^Key/, "").toLowerCase();
}
