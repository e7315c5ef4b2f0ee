// Owns regular expressions from agents and settings: compiled to run in linear time, and rejected
// if even that would take too long. Every such expression is compiled here, after an estimate of
// its size. Does not know which text they are matched against.

import { RE2JS } from "re2js";
import { estimateCost } from "./pattern-cost.ts";

/** In characters; longer patterns are not written by hand. */
export const MAX_PATTERN_CHARS = 1_000;
/**
 * A few milliseconds to compile. Higher than any estimate for 1,000 characters without a counted
 * repetition, so the estimate never rejects a pattern that would have been small.
 */
const MAX_ESTIMATED_STEPS = 4_000;
/** About 20 ms to compile; the script of one language needs one or two ranges. */
const MAX_FOLDED_RANGES = 8;
/** Agents that wait for output repeat calls with the same pattern. */
const MAX_CACHED = 32;
/** Characters of a pattern shown in an error. */
const MAX_SHOWN = 60;

export interface Expression {
  /** Size of the compiled expression: a match costs its steps times the text's characters. */
  readonly steps: number;
  readonly matches: (text: string) => boolean;
}

/** Compiled expressions by pattern, least recently used first. */
const cache = new Map<string, Expression>();

/** Returns the compiled expression, or an error message. `^` and `$` match at line ends. */
export function compileExpression(pattern: string, maxSteps: number): Expression | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MAX_PATTERN_CHARS)
    return `The pattern is over ${MAX_PATTERN_CHARS} characters`;
  const { steps, foldedRanges } = estimateCost(pattern);
  if (steps > MAX_ESTIMATED_STEPS) return formatTooCostly(pattern, steps, maxSteps);
  if (foldedRanges > MAX_FOLDED_RANGES) {
    return `The pattern ${formatPattern(pattern)} is too costly: it ignores case in ${foldedRanges} ranges beyond ASCII (at most ${MAX_FOLDED_RANGES}); use \\p{L} or fewer ranges`;
  }
  try {
    const compiled = cache.get(pattern) ?? compile(pattern);
    cacheExpression(pattern, compiled);
    return compiled.steps > maxSteps
      ? formatTooCostly(pattern, compiled.steps, maxSteps)
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

function cacheExpression(pattern: string, compiled: Expression): void {
  cache.delete(pattern);
  cache.set(pattern, compiled);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

function formatTooCostly(pattern: string, steps: number, maxSteps: number): string {
  const size = steps > 1e6 ? "over a million" : String(steps);
  return `The pattern ${formatPattern(pattern)} is too costly (${size} steps, at most ${maxSteps}); repeat less: {n,m} costs m times its operand, and nested repetitions multiply`;
}

function formatPattern(pattern: string): string {
  return JSON.stringify(
    pattern.length > MAX_SHOWN ? `${pattern.slice(0, MAX_SHOWN - 1)}…` : pattern,
  );
}
