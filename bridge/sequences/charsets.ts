// Owns the charsets of a terminal, their designations and shifts, as in xterm. Pure.

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
