// Owns expressions that somebody else wrote: compiled so that they run in linear time, and refused
// where even that would be too long. Every such expression is compiled here: the size of one that is
// too large is known before. Does not know what they are looked for in.

import { RE2JS } from "re2js";
import { estimateCost } from "./pattern-cost.ts";

/** Longer ones are not written by hand. */
export const MOST_PATTERN = 1_000;
/**
 * Some milliseconds to compile. Above what 1,000 characters without a counted repetition can be
 * estimated at, so that the estimate refuses nothing that would have been small.
 */
const MAX_ESTIMATED_STEPS = 4_000;
/** About 20 ms to compile; scripts of one language need one or two. */
const MAX_FOLDED_RANGES = 8;
/** An agent that waits for something calls again and again with the same pattern. */
const MAX_CACHED = 32;
/** Of a pattern in an error. */
const MAX_SHOWN = 60;

export interface Expression {
  /** The size of the compiled expression: a match costs its steps times the text's characters. */
  readonly steps: number;
  readonly matches: (text: string) => boolean;
}

/** By pattern, the one used longest ago first. */
const cache = new Map<string, Expression>();

/** A sentence when it cannot be used. `^` and `$` are a line's ends. */
export function compileExpression(pattern: string, mostSteps: number): Expression | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MOST_PATTERN) return `The pattern is over ${MOST_PATTERN} characters`;
  const { steps, foldedRanges } = estimateCost(pattern);
  if (steps > MAX_ESTIMATED_STEPS) return formatTooCostly(pattern, steps, mostSteps);
  if (foldedRanges > MAX_FOLDED_RANGES) {
    return `The pattern ${formatPattern(pattern)} is too costly: it ignores case in ${foldedRanges} ranges beyond ASCII, ${MAX_FOLDED_RANGES} is the most; use \\p{L} or fewer ranges`;
  }
  try {
    const compiled = cache.get(pattern) ?? compile(pattern);
    keep(pattern, compiled);
    return compiled.steps > mostSteps
      ? formatTooCostly(pattern, compiled.steps, mostSteps)
      : compiled;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace("(?m)", "") : "unreadable";
    return `The pattern is not a regular expression: ${why}`;
  }
}

function compile(pattern: string): Expression {
  const compiled = RE2JS.compile(pattern, RE2JS.MULTILINE);
  return {
    steps: compiled.programSize(),
    matches: (text) => compiled.matcher(text).find(),
  };
}

function keep(pattern: string, compiled: Expression): void {
  cache.delete(pattern);
  cache.set(pattern, compiled);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

function formatTooCostly(pattern: string, steps: number, mostSteps: number): string {
  const size = steps > 1e6 ? "over a million" : String(steps);
  return `The pattern ${formatPattern(pattern)} is too costly (${size} steps, ${mostSteps} is the most); repeat less: {n,m} counts m times what it repeats, and nested ones multiply`;
}

function formatPattern(pattern: string): string {
  return JSON.stringify(
    pattern.length > MAX_SHOWN ? `${pattern.slice(0, MAX_SHOWN - 1)}…` : pattern,
  );
}
