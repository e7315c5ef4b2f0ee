// Owns the notation of keys, matching them with events, and showing them. The notation is ARIA's,
// "Alt+N"; "Alt+1…9" stands for nine keys.

export type Pressed = Pick<
  KeyboardEvent,
  "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code"
>;

const DIGITS = "1…9";

/** Labels of keys that differ from their names. */
const CAPS: Readonly<Record<string, string>> = {
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
const SIGNS: Readonly<Record<string, string>> = { Slash: "/", Equal: "=", Minus: "-", Comma: "," };

export function isPressed(keys: string, event: Pressed): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const has = (modifier: string): boolean => parts.slice(0, -1).includes(modifier);
  if (event.altKey !== has("Alt") || event.ctrlKey !== has("Control")) return false;
  if (event.shiftKey !== has("Shift") || event.metaKey !== has("Meta")) return false;
  if (key === DIGITS) return digitOf(event) > 0;
  if (/^\d$/.test(key)) return digitOf(event) === Number(key);
  return key.length === 1 ? letterOf(event) === key.toLowerCase() : event.key === key;
}

/** Returns the digit by the key's position, since Alt may change its character; -1 if none. */
export function digitOf({ code }: Pressed): number {
  return Number(/^Digit(\d)$/.exec(code)?.[1] ?? -1);
}

/** Returns one label per key, for `<kbd>`. */
export function capsOf(keys: string): string[] {
  return keys.split("+").map((key) => CAPS[key] ?? (key === "Control" ? "Ctrl" : key));
}

/** Formats keys for tooltips. */
export function inWords(keys: string): string {
  return capsOf(keys).join("+");
}

/** Returns the keys for one of the nine digits. */
export function withDigit(keys: string, digit: number): string {
  return keys.replace(DIGITS, String(digit));
}

/** Returns the letter on the key; by position where macOS composes another one with Alt. */
function letterOf({ key, code }: Pressed): string {
  if (/^[a-z/=,-]$/i.test(key)) return key.toLowerCase();
  // Keyboards where "=" needs Shift often have an unshifted plus, which people press instead.
  if (key === "+") return "=";
  return SIGNS[code] ?? code.replace(/^Key/, "").toLowerCase();
}
