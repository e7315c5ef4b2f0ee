// Owns which charsets a terminal has, how each is designated and how it is shifted to: as in xterm.
// Pure.

/** What a fresh terminal has. */
const US_ASCII = "B";

/** By the final byte of their designation. */
export const CHARSETS: ReadonlySet<string> = new Set(`${US_ASCII}0A45CRQKYE6ZH7=`);

/** G0 to G3: what designates each, and what shifts to it; the first of each is the one said here. */
const LEVELS: readonly {
  readonly designators: readonly string[];
  readonly shifts: readonly string[];
}[] = [
  { designators: ["("], shifts: ["\x0f"] },
  { designators: [")", "-"], shifts: ["\x0e", "\x1b~"] },
  { designators: ["*", "."], shifts: ["\x1bn", "\x1b}"] },
  { designators: ["+"], shifts: ["\x1bo", "\x1b|"] },
];

/** Which of G0 to G3 a designation's intermediate byte stands for. */
export const DESIGNATED: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap(({ designators }, level) => designators.map((one) => [one, level] as const)),
);

/** Which of G0 to G3 is shifted to, by SO, SI or an escape sequence's final byte. */
export const SHIFTED: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap(({ shifts }, level) => shifts.map((one) => [one.slice(-1), level] as const)),
);

/** What brings a fresh terminal to these charsets, G0 to G3, and to one of them. */
export function charsetsText(names: readonly (string | undefined)[], level: number): string {
  let text = "";
  for (const [at, name = US_ASCII] of names.entries()) {
    if (name !== US_ASCII) text += designate(at, name);
  }
  return level === 0 ? text : text + (LEVELS[level]?.shifts[0] ?? "");
}

/** US ASCII unless another is named. */
export function designate(level: number, name = US_ASCII): string {
  return `\x1b${LEVELS[level]?.designators[0] ?? ""}${name}`;
}
