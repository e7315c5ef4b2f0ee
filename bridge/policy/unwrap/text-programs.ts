// Owns judging awk programs: awk is on the safe list, but can run commands and write files. Also
// owns judging sed scripts: the command and flag `e` runs a shell line, `w` writes a file.

import { judgeWrittenFile } from "../redirects.ts";
import type { Rule, Run } from "../rule.ts";
import { registerRule } from "../rule.ts";
import { findBlockedWord } from "../text-patterns.ts";
import { isMarked } from "../word-marks.ts";
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

interface Script {
  /** Shell lines that the script runs; empty where the input decides. */
  readonly runs: readonly string[];
  readonly writes: readonly string[];
  /** False if the script could not be parsed. */
  readonly isParsed: boolean;
}

const ADDRESS_SIGNS = "0123456789$,~+! \tIM";
const TEXT_COMMANDS = "aic";
const FILE_COMMANDS = "rRwW";
const LABEL_COMMANDS = ":btT";
const PLAIN_COMMANDS = "=dDgGhHnNpPxzFqQlL{";

/** Separates commands from expressions and texts, in one pass. */
function readScript(source: string): Script {
  const runs: string[] = [];
  const writes: string[] = [];
  let at = 0;
  const lineEnd = (): number => {
    let end = at;
    while (end < source.length && source[end] !== "\n") end += source[end] === "\\" ? 2 : 1;
    return Math.min(end, source.length);
  };
  const section = (sign: string): string => {
    const from = at;
    while (at < source.length && source[at] !== sign) at += source[at] === "\\" ? 2 : 1;
    return source.slice(from, at++);
  };
  while (at < source.length) {
    const sign = source[at++] ?? "";
    if (";}\n".includes(sign) || ADDRESS_SIGNS.includes(sign)) continue;
    if (sign === "#") at = source.indexOf("\n", at) < 0 ? source.length : source.indexOf("\n", at);
    else if (sign === "/") section("/");
    else if (sign === "\\") section(source[at++] ?? "");
    else if (sign === "e") {
      const end = lineEnd();
      runs.push(source.slice(at, end).replaceAll(/\\\n/g, "").trim());
      at = end;
    } else if (sign === "s" || sign === "y") {
      const delimiter = source[at++] ?? "";
      section(delimiter);
      const replacement = section(delimiter);
      if (sign === "y") continue;
      const flags = /^[a-zA-Z0-9]*/.exec(source.slice(at))?.[0] ?? "";
      const write = flags.search(/w/i);
      if ((write < 0 ? flags : flags.slice(0, write)).includes("e")) runs.push(replacement, "");
      at += write < 0 ? flags.length : write + 1;
      if (write < 0) continue;
      writes.push(source.slice(at, lineEnd()).trim());
      at = lineEnd();
    } else if (TEXT_COMMANDS.includes(sign) || FILE_COMMANDS.includes(sign)) {
      const end = lineEnd();
      if (sign.toLowerCase() === "w") writes.push(source.slice(at, end).trim());
      at = end;
    } else if (LABEL_COMMANDS.includes(sign)) {
      while (at < source.length && !";\n".includes(source[at] ?? "")) at++;
    } else if (!PLAIN_COMMANDS.includes(sign)) {
      return { runs, writes, isParsed: false };
    }
  }
  return { runs, writes, isParsed: true };
}

/** Decodes `\x6d`, `\o155` and `\d109`, which are all an m. */
function decodeEscapes(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|o([0-7]{3})|d(\d{3}))/g,
    (_whole, hex?: string, octal?: string, decimal?: string) =>
      String.fromCodePoint(
        hex !== undefined
          ? Number.parseInt(hex, 16)
          : Number.parseInt(octal ?? decimal ?? "", octal === undefined ? 10 : 8),
      ),
  );
}

function judgeScript(source: string, run: Run): void {
  const script = decodeEscapes(source);
  const { runs, writes, isParsed } = readScript(script);
  for (const target of writes) judgeWrittenFile(target, false, run);
  if (runs.length > 0) {
    run.note("dangerous", "`sed` runs a command from its script");
    for (const line of runs) if (line !== "") run.asPossible().judgeShellText(line);
  }
  if (runs.length === 0 && (isParsed || !/e/.test(script))) return;
  const word = findBlockedWord(script);
  if (word !== undefined && runs.length > 0) run.noteBlockedWord(word, `\`sed\` runs ${word}`);
  if (word !== undefined && !isParsed) run.note("dangerous", `the sed script contains ${word}`);
}

const sed: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "efl",
    flags: "*",
    long: ["expression", "file", "line-length"],
    longFlags: ["quiet", "silent", "in-place"],
    mixesOperands: true,
  });
  const given = valuesFor(options, "e", "expression");
  const files = valuesFor(options, "f", "file");
  for (const file of files) judgeRunFile(file, run, (text) => judgeScript(text, run));
  // Several scripts are one, line by line: `-e '1e\' -e 'rm x'`.
  if (given.length > 0) judgeScript(given.join("\n"), run);
  const [script] = options.operands;
  if (script === undefined) return;
  if (given.length === 0 && files.length === 0) judgeScript(script, run);
  // `-i.e` is a suffix, not a script.
  else if (args.some((word) => /^-[a-zA-Z]*i/.test(word))) judgeScript(script, run.asPossible());
};

export const SED_RULES: readonly [string, Rule][] = registerRule("sed gsed ssed", sed);
