// Owns which modes of a terminal are followed, by their numbers: as in xterm. Pure.

interface PrivateMode {
  readonly number: number;
  /** Whether a fresh terminal has it. */
  readonly fresh: boolean;
  /** As xterm calls it; left out where a screen says it elsewhere. */
  readonly name?:
    | "applicationCursorKeysMode"
    | "applicationKeypadMode"
    | "bracketedPasteMode"
    | "reverseWraparoundMode"
    | "sendFocusMode"
    | "wraparoundMode";
}

/** Said with the cursor's place, which it changes. */
export const ORIGIN = 6;
export const WRAP = 7;
export const CURSOR_SHOWN = 25;
export const KEYPAD = 66;
/** Said around the whole screen. */
export const SYNCHRONIZED = 2026;

/** Each is set or not, whatever the others are. */
export const PRIVATE_MODES: readonly PrivateMode[] = [
  { number: 1, fresh: false, name: "applicationCursorKeysMode" },
  { number: ORIGIN, fresh: false },
  { number: WRAP, fresh: true, name: "wraparoundMode" },
  { number: CURSOR_SHOWN, fresh: true },
  { number: 45, fresh: false, name: "reverseWraparoundMode" },
  { number: KEYPAD, fresh: false, name: "applicationKeypadMode" },
  { number: 1004, fresh: false, name: "sendFocusMode" },
  { number: 2004, fresh: false, name: "bracketedPasteMode" },
  { number: SYNCHRONIZED, fresh: false },
];

/** Of these the last one set counts; by xterm's names. */
export const MOUSE_PROTOCOLS: Readonly<Record<string, number>> = {
  X10: 9,
  VT200: 1000,
  DRAG: 1002,
  ANY: 1003,
};
export const MOUSE_ENCODINGS: Readonly<Record<string, number>> = { SGR: 1006, SGR_PIXELS: 1016 };

/** Shows the alternate screen and does nothing else, unlike the other two. */
export const ALTERNATE = 1047;
export const ALTERNATES: readonly number[] = [47, ALTERNATE, 1049];

/** Modes without the prefix; a fresh terminal has neither. */
export const INSERT = 4;
export const NEWLINE = 20;

/** Final bytes of a bare CSI that changes modes, the scroll region or the title. */
export const MODE_FINALS: readonly string[] = ["h", "l", "r", "t"];

export function modeText(number: number, on: boolean, prefix = "?"): string {
  return `\x1b[${prefix}${number}${on ? "h" : "l"}`;
}

export const ENTER_ALTERNATE = modeText(ALTERNATE, true);
