// Owns the numbers of the tracked terminal modes, as in xterm. Pure.

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
