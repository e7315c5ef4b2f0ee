// Owns the numbers of the tracked terminal modes, as in xterm. Also owns the charsets of a
// terminal, their designations and shifts, as in xterm. Pure.

interface PrivateMode {
  readonly number: number;
  /** Whether it is set in a fresh terminal. */
  readonly fresh: boolean;
  /** xterm's name; absent if another part of a snapshot covers it. */
  readonly name?:
    | "applicationCursorKeysMode"
    | "applicationKeypadMode"
    | "bracketedPasteMode"
    | "reverseWraparoundMode"
    | "sendFocusMode"
    | "wraparoundMode";
}

/** Written with the cursor's position, which it changes. */
export const ORIGIN_MODE = 6;
export const WRAP_MODE = 7;
export const CURSOR_SHOWN = 25;
export const KEYPAD_MODE = 66;
/** Written around the whole screen. */
export const SYNCHRONIZED_OUTPUT = 2026;

/** Modes that are independent of each other. */
export const PRIVATE_MODES: readonly PrivateMode[] = [
  { number: 1, fresh: false, name: "applicationCursorKeysMode" },
  { number: ORIGIN_MODE, fresh: false },
  { number: WRAP_MODE, fresh: true, name: "wraparoundMode" },
  { number: CURSOR_SHOWN, fresh: true },
  { number: 45, fresh: false, name: "reverseWraparoundMode" },
  { number: KEYPAD_MODE, fresh: false, name: "applicationKeypadMode" },
  { number: 1004, fresh: false, name: "sendFocusMode" },
  { number: 2004, fresh: false, name: "bracketedPasteMode" },
  { number: SYNCHRONIZED_OUTPUT, fresh: false },
];

/** The last one set is in effect; keyed by xterm's names. */
export const MOUSE_PROTOCOLS: Readonly<Record<string, number>> = {
  X10: 9,
  VT200: 1000,
  DRAG: 1002,
  ANY: 1003,
};
export const MOUSE_ENCODINGS: Readonly<Record<string, number>> = { SGR: 1006, SGR_PIXELS: 1016 };

/** Only switches to the alternate screen, unlike the other two. */
export const ALTERNATE_SCREEN = 1047;
export const ALTERNATE_SCREEN_MODES: readonly number[] = [47, ALTERNATE_SCREEN, 1049];

/** Modes without a prefix; both are off in a fresh terminal. */
export const INSERT_MODE = 4;
export const NEWLINE_MODE = 20;

/** Final bytes of a bare CSI that changes modes, the scroll region or the title. */
export const MODE_FINALS: readonly string[] = ["h", "l", "r", "t"];

export function formatMode(number: number, on: boolean, prefix = "?"): string {
  return `\x1b[${prefix}${number}${on ? "h" : "l"}`;
}

export const ENTER_ALTERNATE = formatMode(ALTERNATE_SCREEN, true);

/** The charset of a fresh terminal. */
const US_ASCII = "B";

/** Keyed by the final byte of their designation. */
export const CHARSETS: ReadonlySet<string> = new Set(`${US_ASCII}0A45CRQKYE6ZH7=`);

/** G0 to G3: the bytes that designate each and shift to it; this file writes the first of each. */
const LEVELS: readonly {
  readonly designators: readonly string[];
  readonly shifts: readonly string[];
}[] = [
  { designators: ["("], shifts: ["\x0f"] },
  { designators: [")", "-"], shifts: ["\x0e", "\x1b~"] },
  { designators: ["*", "."], shifts: ["\x1bn", "\x1b}"] },
  { designators: ["+"], shifts: ["\x1bo", "\x1b|"] },
];

/** G0 to G3 by the intermediate byte of a designation. */
export const LEVEL_BY_DESIGNATOR: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap(({ designators }, level) => designators.map((one) => [one, level] as const)),
);

/** G0 to G3 by SO, SI or an escape sequence's final byte. */
export const LEVEL_BY_SHIFT: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap(({ shifts }, level) => shifts.map((one) => [one.slice(-1), level] as const)),
);

/** Returns the sequences that designate these charsets, G0 to G3, and shift to `level`. */
export function formatCharsets(names: readonly (string | undefined)[], level: number): string {
  let text = "";
  for (const [at, name = US_ASCII] of names.entries()) {
    if (name !== US_ASCII) text += designate(at, name);
  }
  return level === 0 ? text : text + (LEVELS[level]?.shifts[0] ?? "");
}

/** Returns the sequence that designates a charset, US ASCII by default. */
export function designate(level: number, name = US_ASCII): string {
  return `\x1b${LEVELS[level]?.designators[0] ?? ""}${name}`;
}
