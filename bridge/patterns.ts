// Owns regular expressions from agents and settings: compiled to run in linear time, and rejected
// if even that would take too long. Every such expression is compiled here, after an estimate of
// its size. Does not know which text they are matched against. Also owns estimating from a regular
// expression's text, in one pass, how large it becomes when compiled.

import { RE2JS } from "re2js";

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

// Compiling can take seconds: a counted repetition copies its operand and nested ones multiply, so
// 30 characters can become a million steps. Pure; parses RE2's syntax only where the size depends
// on it.

export interface PatternCost {
  /** Upper bound for the steps of the compiled expression, if it compiles. */
  readonly steps: number;
  /**
   * Case-insensitive class ranges that may be wide: RE2 folds such a range character by character,
   * about 2.5 ms each. Named classes (`\pL`) come from tables.
   */
  readonly foldedRanges: number;
}

/** An open group, or the whole expression. */
interface Level {
  /** Steps of everything before the last atom. */
  before: number;
  /** Steps of the last atom, which a repetition would copy. */
  last: number;
  readonly captures: boolean;
}

const REPETITION = /\{(\d+)(?:(,)(\d*))?\}/y;
const GROUP = /\(\?(?:P?<[^>]*>|[A-Za-z-]*([:)]))/y;
const WITHOUT_CASE = /\(\?[A-Za-z-]*i/;
/** Start, match, failure and end of the program. */
const FIXED_STEPS = 4;
/** A capture is saved at its start and at its end. */
const CAPTURE_STEPS = 2;
/** A branch, plus a no-op if one of the two sides is empty. */
const ALTERNATIVE_STEPS = 2;
/** `*`, `+` and `?` branch once, and once more if their operand may be empty. */
const BRANCH_STEPS = 2;

export function estimateCost(pattern: string): PatternCost {
  const levels: Level[] = [];
  let level = newLevel(false);
  let foldedRanges = 0;
  const ignoresCase = WITHOUT_CASE.test(pattern);
  const addAtom = (steps: number): void => {
    level.before += level.last;
    level.last = steps;
  };
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    if (char === "\\" && pattern[at + 1] === "Q") {
      const [quoted, end] = readQuote(pattern, at);
      // Each quoted character is an atom. After an empty quote, a repetition applies to the atom
      // before it.
      if (quoted > 0) {
        addAtom(quoted - 1);
        addAtom(1);
      }
      at = end;
    } else if (char === "\\") {
      addAtom(1);
      at = escapeEnd(pattern, at);
    } else if (char === "[") {
      const end = classEnd(pattern, at);
      if (ignoresCase) foldedRanges += countWideRanges(pattern.slice(at + 1, end - 1));
      addAtom(1);
      at = end;
    } else if (char === "(") {
      const group = matchAt(GROUP, pattern, at);
      // `(?i)` on its own only sets flags and cannot be repeated.
      if (group?.[1] !== ")") {
        levels.push(level);
        level = newLevel(group?.[1] === undefined);
      }
      at += group?.[0].length ?? 1;
    } else if (char === ")") {
      const steps = countSteps(level);
      level = levels.pop() ?? newLevel(false);
      addAtom(steps);
      at += 1;
    } else if (char === "|") {
      addAtom(ALTERNATIVE_STEPS);
      addAtom(0);
      at += 1;
    } else if (char === "*" || char === "+" || char === "?") {
      level.last = Math.max(1, level.last) + BRANCH_STEPS;
      at = afterRepetition(pattern, at + 1);
    } else {
      const repetition = char === "{" ? matchAt(REPETITION, pattern, at) : undefined;
      if (repetition === undefined) {
        addAtom(1);
        at += 1;
      } else {
        level.last = repeatedSteps(level.last, repetition);
        at = afterRepetition(pattern, at + repetition[0].length);
      }
    }
  }
  const open = levels.reduce((sum, each) => sum + countSteps(each), 0);
  return { steps: open + countSteps(level) + FIXED_STEPS, foldedRanges };
}

function newLevel(captures: boolean): Level {
  return { before: 0, last: 0, captures };
}

function countSteps({ before, last, captures }: Level): number {
  return Math.max(1, before + last) + (captures ? CAPTURE_STEPS : 0);
}

/**
 * Returns the steps of a counted repetition: `x{n,m}` is n copies plus m - n optional ones; `x{n,}`
 * is n copies, the last of which loops.
 */
function repeatedSteps(last: number, [, least = "", comma, most = ""]: RegExpExecArray): number {
  const steps = Math.max(1, last);
  const from = Number(least);
  if (comma === undefined) return Math.max(1, from * steps);
  if (most === "") return Math.max(1, from) * steps + BRANCH_STEPS;
  const to = Math.max(from, Number(most));
  return Math.max(1, to * steps + (to - from));
}

/** Skips the `?` that makes a repetition lazy. */
function afterRepetition(pattern: string, at: number): number {
  return pattern[at] === "?" ? at + 1 : at;
}

function matchAt(expression: RegExp, pattern: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(pattern) ?? undefined;
}

/** Returns how many characters `\Q…\E` quotes, and the index after it. */
function readQuote(pattern: string, at: number): [number, number] {
  const end = pattern.indexOf("\\E", at + 2);
  return end === -1 ? [pattern.length - at - 2, pattern.length] : [end - at - 2, end + 2];
}

/** Returns the index after an escape: `\p{…}` and `\x{…}` have braces. */
function escapeEnd(pattern: string, at: number): number {
  const letter = pattern[at + 1] ?? "";
  if ("pPx".includes(letter) && pattern[at + 2] === "{") {
    const end = pattern.indexOf("}", at + 3);
    return end === -1 ? pattern.length : end + 1;
  }
  const isNamed = letter === "p" || letter === "P";
  return Math.min(pattern.length, at + (isNamed ? 3 : 2));
}

/** Returns the index after a class. An unterminated class takes the rest and does not compile. */
function classEnd(pattern: string, start: number): number {
  const first = pattern[start + 1] === "^" ? start + 2 : start + 1;
  let at = first;
  while (at < pattern.length) {
    const char = pattern[at];
    // A `]` directly after `[` or `[^` is a literal.
    if (char === "]" && at > first) return at + 1;
    const named = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at + 2) : -1;
    if (named !== -1) at = named + 2;
    else at = char === "\\" ? escapeEnd(pattern, at) : at + 1;
  }
  return pattern.length + 1;
}

/** Counts ranges that do not end at an ASCII character; others have at most 128 characters. */
function countWideRanges(inside: string): number {
  return inside.match(/-(?=[\\\u0080-\uffff])/g)?.length ?? 0;
}
