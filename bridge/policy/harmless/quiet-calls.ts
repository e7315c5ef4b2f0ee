// Owns programs beyond `terminal.safeCommands` that only print, compare or wait, with the calls in
// which they do: `true || ls`, `test -f x && cat x`. Their verdict may be safe; the level is not [A15].

import { ANY_CHAR, ANY_TEXT, isMarked, PROGRAM_OUTPUT, UNKNOWN_VALUE } from "../word-marks.ts";
import type { HarmlessCall } from "./call-shape.ts";

const NO_OPERANDS = { max: 0 };
/** Operand of `break` and `continue`: how many loops to leave. zsh evaluates any other text. */
const LEVELS = { max: 1, pattern: /^\d+$/ };
const HELP = "--help --version";

/** Leaves out `-v` and `-R`, whose subscript bash evaluates, and `-o`, which also means "or". */
const FILE_TEST = /^-[bcdefghknprsuwxzGLNOS]$/;
const TEXT_COMPARISON = /^(?:==?|!=|<|>|-nt|-ot|-ef)$/;
const NUMBER_COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;
const WHOLE_NUMBER = /^[+-]?\d+$/;
const CONNECTIVE = /^-[ao]$/;

/** Whether the words are one plain test, with digits as numbers: zsh and ksh evaluate any other text. */
function isPlainTest(words: readonly string[]): boolean {
  const [first = "", operator = "", last = ""] = words;
  if (words.length === 1) return true;
  if (words.length === 2)
    return FILE_TEST.test(first) || (first === "-t" && WHOLE_NUMBER.test(operator));
  if (words.length !== 3) return false;
  if (TEXT_COMPARISON.test(operator)) return true;
  return NUMBER_COMPARISON.test(operator) && WHOLE_NUMBER.test(first) && WHOLE_NUMBER.test(last);
}

function isHarmlessTest(args: readonly string[]): boolean {
  // A pattern or a stream may expand to any number of words, including operators.
  if (args.some((word) => [ANY_CHAR, ANY_TEXT, PROGRAM_OUTPUT].some((mark) => word.includes(mark))))
    return false;
  const tests: string[][] = [[]];
  for (const word of args) {
    const current = tests.at(-1);
    if (CONNECTIVE.test(word) && current !== undefined && current.length > 0) tests.push([]);
    else if (word !== "!" || current?.length !== 0) current?.push(word);
  }
  // After a connective, an unknown word could shift the role of every other word.
  if (tests.length > 1 && args.some((word) => word.includes(UNKNOWN_VALUE))) return false;
  return args.length === 0 || tests.every(isPlainTest);
}

const FORMAT = /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sbqcdiouxXeEfFgG])*$/;
const NUMBER_FORMAT = /%[-+ #0]*\d*(?:\.\d+)?[diouxXeEfFgG]/;
const PLAIN_NUMBER = /^[+-]?[\d.]*$/;

/** Whether a call of printf is harmless: `-v` and `%n` set a variable, and zsh evaluates `%d`. */
function isHarmlessPrintf(args: readonly string[]): boolean {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format.startsWith("-") || isMarked(format) || !FORMAT.test(format)) return false;
  return !NUMBER_FORMAT.test(format) || values.every((value) => PLAIN_NUMBER.test(value));
}

export const QUIET_CALLS: Readonly<Record<string, HarmlessCall>> = {
  true: { allowsAnything: true },
  false: { allowsAnything: true },
  ":": { allowsAnything: true },
  break: { operands: LEVELS },
  continue: { operands: LEVELS },
  test: { matchesAll: isHarmlessTest },
  "[": { matchesAll: (args) => args.at(-1) === "]" && isHarmlessTest(args.slice(0, -1)) },
  printf: { matchesAll: isHarmlessPrintf },
  // An operand without `+` sets the clock, as -s does.
  date: {
    options: `-u -R -I[=] -d= -r= --utc --universal --rfc-email --rfc-3339= --iso-8601[=] --date= --reference= ${HELP}`,
    operands: { max: 1, pattern: /^\+/ },
  },
  whoami: { options: HELP, operands: NO_OPERANDS },
  basename: { options: `-a -s= -z --multiple --suffix= --zero ${HELP}` },
  dirname: { options: `-z --zero ${HELP}` },
  seq: {
    options: `-w -f= -s= --equal-width --format= --separator= ${HELP}`,
    operands: { max: 3 },
  },
  nproc: { options: `--all --ignore= ${HELP}`, operands: NO_OPERANDS },
  uptime: { options: `-p -s --pretty --since ${HELP}`, operands: NO_OPERANDS },
};
