// Owns how keys are written, told from an event, and shown. Written as ARIA writes them, "Alt+N";
// "Alt+1…9" is nine of them.

export type Pressed = Pick<
  KeyboardEvent,
  "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code"
>;

const DIGITS = "1…9";

/** What stands on a key, where that is not its name. */
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

/** By their place, where Alt makes something else of them. */
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

/** By its place: with Alt some keyboards give another sign. -1 where there is none. */
export function digitOf({ code }: Pressed): number {
  return Number(/^Digit(\d)$/.exec(code)?.[1] ?? -1);
}

/** For `<kbd>`, one for each key. */
export function capsOf(keys: string): string[] {
  return keys.split("+").map((key) => CAPS[key] ?? (key === "Control" ? "Ctrl" : key));
}

/** For tooltips. */
export function inWords(keys: string): string {
  return capsOf(keys).join("+");
}

/** The one of nine. */
export function withDigit(keys: string, digit: number): string {
  return keys.replace(DIGITS, String(digit));
}

/** The letter on the key: macOS composes another with Alt, so the key's place stands in for it. */
function letterOf({ key, code }: Pressed): string {
  if (/^[a-z/=,-]$/i.test(key)) return key.toLowerCase();
  // Where "=" needs Shift, the plus sign often does not; people press the one for the other.
  if (key === "+") return "=";
  return SIGNS[code] ?? code.replace(/^Key/, "").toLowerCase();
}
