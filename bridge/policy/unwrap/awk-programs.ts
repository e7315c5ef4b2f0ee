// Owns judging awk programs: awk is on the safe list, but can run commands and write files.

import { findBlockedWord } from "../text-patterns.ts";
import { isMarked } from "../word-marks.ts";
import { judgeWrittenFile } from "../redirects.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { hasOption, readOptions, valuesFor } from "./getopt.ts";
import { judgeRunFile } from "./shell-programs.ts";

interface Program {
  /** The string constants of the program. */
  readonly strings: readonly string[];
  /** The rest, with strings as `""` and regular expressions as `//`. */
  readonly bare: string;
  /** A slash could be read in two ways, and so could the rest of the program. */
  readonly doubtful: boolean;
}

/** After one of these a slash starts a regular expression, not a division. */
const BEFORE_EXPRESSION = "({[},;!~&|\n=+-*%<>?:$^";
/**
 * After these it may be either: `a++ / b`, `if (a) /b/`, `print /b/`, `length /b/` (mawk). A word may
 * be a function without parentheses; these three are known to be numbers.
 */
const DOUBTFUL = /(?:\+\+|--|\)|(?<!\w)(?!(?:NF|NR|FNR)$)[A-Za-z_]\w*)$/;

/** Enough characters to see the words of DOUBTFUL in full. */
const TAIL = 12;

/** Separates code from strings and regular expressions, in one pass. */
function readProgram(source: string): Program {
  const strings: string[] = [];
  let bare = "";
  let last = "\n";
  /** Where the last non-blank character ends in `bare`. */
  let end = 0;
  let doubtful = /\\\r?\n/.test(source);
  for (let at = 0; at < source.length; at++) {
    const sign = source[at] ?? "";
    const opensExpression = sign === "/" && BEFORE_EXPRESSION.includes(last);
    if (sign === "/" && DOUBTFUL.test(bare.slice(Math.max(0, end - TAIL), end))) doubtful = true;
    if (sign === '"' || opensExpression) {
      const close = findClosing(source, at, sign);
      // Implementations differ on where `/[/]/` ends.
      if (opensExpression && /\[[^\]]*$/.test(source.slice(at + 1, close))) doubtful = true;
      if (sign === '"') strings.push(source.slice(at + 1, close).replaceAll(/\\(.)/g, "$1"));
      bare += sign + sign;
      last = sign;
      end = bare.length;
      at = close;
      continue;
    }
    if (sign === "#") {
      const line = source.indexOf("\n", at);
      at = line < 0 ? source.length : line - 1;
      continue;
    }
    bare += sign;
    if (sign === " " || sign === "\t") continue;
    last = sign;
    end = bare.length;
  }
  return { strings, bare, doubtful };
}

function findClosing(source: string, from: number, sign: string): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === sign) return at;
  }
  return source.length;
}

// `|` that is not `||`, a call of system, `getline <`, an indirect call `@f()`.
const RUNS = /\bsystem\b|(?<!\|)\|(?!\|)|@/;
const PRINTS = /\bprintf?\b/;

/** Whether a statement writes to a file: `print … > file`. */
function writesFile(bare: string): boolean {
  // A line that ends like this continues on the next one.
  const joined = bare.replaceAll(/(,|&&|\|\||[?:])[ \t]*\r?\n/g, "$1 ");
  return joined.split(/[;}\n]/).some((statement) => {
    const from = PRINTS.exec(statement)?.index ?? -1;
    return from >= 0 && statement.includes(">", from);
  });
}

function judgeBlockedWord(text: string, run: Run): void {
  const word = findBlockedWord(text);
  if (word !== undefined) run.noteBlockedWord(word, "`awk` runs a blocked command");
}

/** A division by a number, or of one: in no implementation does a regular expression start there. */
const DIVISION = /(?<![\w.$])(?:\$?\d+(?:\.\d+)?|\$?NF|NR|FNR)[ \t]*\/[ \t]*(?=[\d$N])/g;
/** Runs a command, reads a file or loads code, also glued to a number (`1system(…)`). */
const RUNS_OR_READS = /system|getline|@/;
/** Writes to a file or a command if it follows a `print`. */
const MAY_WRITE = /(?<!\|)\|(?!\|)|>/;

/**
 * Whether a program certainly only prints. Implementations differ on where a regular expression ends:
 * where one may start, the raw text is checked, and quotes hide nothing.
 */
function onlyPrints(source: string, bare: string): boolean {
  const isExact = !source.replaceAll(DIVISION, " ").includes("/") && !source.includes("\\\n");
  const text = isExact ? bare : source;
  if (RUNS_OR_READS.test(text)) return false;
  const from = text.search(/print/);
  return from < 0 || !MAY_WRITE.test(text.slice(from));
}

/** Judges a program; `given` is data that it could run: variables and operands. */
function judgeProgram(source: string, given: readonly string[], run: Run): void {
  if (isMarked(source)) run.note("unknown", "an awk program known only at run time");
  const { strings, bare, doubtful } = readProgram(source);
  if (!onlyPrints(source, bare)) run.note("unknown", "an awk program that may do more than print");
  if (doubtful && (RUNS.test(source) || source.includes(">") || source.includes("getline"))) {
    run.note("unknown", "an awk program that can be read in two ways");
    judgeBlockedWord(source, run);
  }
  if (RUNS.test(bare)) {
    run.note("unknown", "`awk` runs a command");
    for (const text of strings) run.asPossible().judgeShellText(text);
    for (const text of given) run.asPossible().judgeShellText(text.slice(text.indexOf("=") + 1));
    judgeBlockedWord(strings.join(""), run);
  }
  if (writesFile(bare)) {
    run.note("unknown", "`awk` writes a file");
    for (const text of strings) if (text.includes("/")) judgeWrittenFile(text, false, run);
  }
  if (/\bgetline\b/.test(bare)) run.note("unknown", "`awk` reads other files or commands");
}

const awk: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "FvfeilE",
    flags: "*",
    long: ["field-separator", "assign", "file", "source", "include", "load", "exec"],
    longFlags: ["posix", "traditional", "csv", "sandbox", "version", "help", "re-interval"],
  });
  const texts = valuesFor(options, "e", "source");
  const given = [
    ...valuesFor(options, "v", "assign"),
    ...options.operands.slice(texts.length > 0 ? 0 : 1),
  ];
  for (const text of texts) judgeProgram(text, given, run);
  for (const file of valuesFor(options, "f", "file", "E", "exec", "i", "include"))
    judgeRunFile(file, run, (text) => judgeProgram(text, given, run));
  if (
    hasOption(options, "f", "file", "i", "include", "l", "load", "E", "exec", "D", "d", "o", "p")
  ) {
    return run.note("unknown", "awk program not checked");
  }
  const [program] = options.operands;
  if (texts.length === 0 && program !== undefined) judgeProgram(program, given, run);
};

export const AWK_RULES: readonly [string, Rule][] = [
  ...registerRule("awk gawk mawk nawk original-awk bwk goawk frawk", awk),
];
