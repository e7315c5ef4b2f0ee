// Owns judging sed scripts: the command and flag `e` runs a shell line, `w` writes a file.

import { findBlockedWord } from "../text-patterns.ts";
import { judgeWrittenFile } from "../redirects.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { readOptions, valuesFor } from "./getopt.ts";
import { judgeRunFile } from "./shell-programs.ts";

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
