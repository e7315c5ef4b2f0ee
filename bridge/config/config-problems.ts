// Owns the errors for invalid values: where the value is, what is wrong, and what would be right.
// Pure.

import { ExitCode, UserError } from "../errors.ts";

const MAX_SHOWN_CHARS = 300;

export interface Problem {
  /** A file's path, a variable or a flag. */
  readonly source: string;
  /** Undefined if the problem concerns the source as a whole. */
  readonly key: string | undefined;
  readonly what: string;
  readonly right: string | undefined;
}

/** Formats a problem on one line; values in it are already escaped. */
export function formatProblem({ source, key, what }: Problem): string {
  return key === undefined ? `${source}: ${what}` : `${source}: ${key}: ${what}`;
}

/** Returns one error with all problems, so that people need not fix them one start at a time. */
export function toConfigError(problems: readonly Problem[]): UserError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    return new UserError(formatProblem(first), ExitCode.usage, first.right);
  }
  const lines = problems.map((problem) => {
    const { right } = problem;
    return `      ${formatProblem(problem)}${right === undefined ? "" : `\n        ${right}`}`;
  });
  return new UserError(
    `the configuration has ${problems.length} mistakes:\n${lines.join("\n")}`,
    ExitCode.usage,
  );
}

/** Formats a value as JSON on one line, without control or bidi characters. */
export function formatValue(value: unknown, maxChars = MAX_SHOWN_CHARS): string {
  const whole = escapeInvisible(toJsonText(value));
  const letters = Array.from(whole);
  if (letters.length <= maxChars) return whole;
  const start = letters.slice(0, maxChars).join("");
  return `${start}… (cut: ${letters.length} characters in all)`;
}

/** Converts to JSON; parsed values can be nested too deep for that. */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    return "a value nested too deep to show";
  }
}

/** Replaces control, bidi, zero-width and private characters by their code points. */
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu,
    (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
