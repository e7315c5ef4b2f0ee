// Owns expressions that somebody else wrote: compiled so that they run in linear time, and refused
// where even that would be too long. Does not know what they are looked for in.

import { RE2JS } from "re2js";

/** Longer ones are not written by hand. */
export const MOST_PATTERN = 1_000;

export interface Expression {
  /** The size of the compiled expression: a match costs its steps times the text's characters. */
  readonly steps: number;
  readonly matches: (text: string) => boolean;
}

/** A sentence when it cannot be used. `^` and `$` are a line's ends. */
export function compileExpression(pattern: string, mostSteps: number): Expression | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MOST_PATTERN) return `The pattern is over ${MOST_PATTERN} characters`;
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.MULTILINE);
    const steps = compiled.programSize();
    if (steps > mostSteps) {
      return `The pattern is too costly (${steps} steps, ${mostSteps} is the most); repeat less`;
    }
    return { steps, matches: (text) => compiled.matcher(text).find() };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace("(?m)", "") : "unreadable";
    return `The pattern is not a regular expression: ${why}`;
  }
}
