// Owns what is said about a value that does not fit: where it stands, what it is, and what would be
// right. Pure.

import { ExitCode, UserError } from "../errors.ts";

const LONGEST_SHOWN = 300;

export interface Problem {
  /** A file's path, a variable or a flag. */
  readonly source: string;
  /** Undefined when it is about the source as a whole. */
  readonly key: string | undefined;
  readonly what: string;
  readonly right: string | undefined;
}

/** On one line; a value in it is escaped already. */
export function sentenceOf({ source, key, what }: Problem): string {
  return key === undefined ? `${source}: ${what}` : `${source}: ${key}: ${what}`;
}

/** All of them at once, so that nobody has to mend them one start at a time. */
export function problemsError(problems: readonly Problem[]): UserError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    return new UserError(sentenceOf(first), ExitCode.usage, first.right);
  }
  const lines = problems.map((problem) => {
    const { right } = problem;
    return `      ${sentenceOf(problem)}${right === undefined ? "" : `\n        ${right}`}`;
  });
  return new UserError(
    `the configuration has ${problems.length} mistakes:\n${lines.join("\n")}`,
    ExitCode.usage,
  );
}

/** A value as JSON on one line: nothing in it moves the cursor or turns the text around. */
export function shownValue(value: unknown, most = LONGEST_SHOWN): string {
  const whole = escaped(asJson(value));
  const letters = Array.from(whole);
  if (letters.length <= most) return whole;
  const start = letters.slice(0, most).join("");
  return `${start}… (cut: ${letters.length} characters in all)`;
}

/** What was read can be nested deeper than it can be written. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "a value nested too deep to show";
  }
}

/** Control, bidi, zero-width and private characters by their number. */
export function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu,
    (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
