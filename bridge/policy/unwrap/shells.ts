// Owns shells: the text after -c, their standard input, and the files that they run.

import { isAllUnknown, STREAM } from "../marks.ts";
import { ruleName } from "../names.ts";
import { isOwnScript } from "../own.ts";
import { isDescriptor, isStdin } from "../paths.ts";
import { named, type Rule, type Run } from "../run.ts";
import { type OptionShape, readOptions, has } from "./options.ts";

const SHELLS =
  "sh bash zsh dash ash ksh mksh lksh oksh pdksh yash posh rbash rzsh rksh hush fish csh tcsh rc es elvish nu xonsh osh ysh";

const SHAPE: OptionShape = {
  // `-o errexit`, `-O extglob`; a letter after + is an option, too.
  values: "oOC",
  flags: "abcefhiklmnpqrstuvwxyBDEHPTXNdgFGIJRSKLMUVWYZQAj",
  long: [
    "rcfile",
    "init-file",
    "emulate",
    "command",
    "init-command",
    "features",
    "debug-output",
    "config",
  ],
  longFlags: [
    "login",
    "norc",
    "noprofile",
    "posix",
    "restricted",
    "verbose",
    "noediting",
    "debugger",
    "interactive",
    "private",
    "no-config",
    "version",
    "help",
    "dump-strings",
    "dump-po-strings",
    "pretty-print",
    "no-rcs",
    "no-globalrcs",
  ],
};

const STARTS_WITH = /^(?:rcfile|init-file|config)$/;

const shell: Rule = (args, run) => {
  const options = readOptions(plusAsMinus(args), SHAPE);
  const [first, ...rest] = options.operands;
  for (const [name, value] of options.given) {
    if (STARTS_WITH.test(name) && value?.includes(STREAM))
      run.note("blocked", `${run.callText()} runs the output of another program`);
    if ((name === "command" || name === "init-command" || name === "C") && value) run.shell(value);
  }
  if (options.strange) run.sweep(args);
  if (has(options, "c")) return runText(first, rest, run);
  if (first !== undefined && !has(options, "s") && !isStdin(first)) return runFile(first, run);
  const judge = (text: string): void => run.fed(false, []).shell(text);
  if (first === undefined) readsStdin(run, judge);
  else readsFile(first, run, judge);
};

function runText(text: string | undefined, rest: readonly string[], run: Run): void {
  if (text === undefined || isAllUnknown(text))
    return run.note("unknown", "runs a shell command known only at run time");
  if (text.replaceAll(STREAM, "").trim() === "" && text.includes(STREAM)) {
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  }
  run.shell(text, rest);
}

function runFile(file: string, run: Run): void {
  if (file.includes(STREAM))
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  if (isOwnScript(file, run.cwd)) run.ours("runs or changes pairpty itself");
  run.note("unknown", "script contents not checked");
}

/** Judges the standard input of a program that runs it: inline text by its contents, a pipe as blocked. */
export function readsStdin(run: Run, judge: (text: string) => void): void {
  for (const text of run.stdin) judge(text);
  if (run.piped) run.note("blocked", `${run.callText()} runs the output of another program`);
}

/** Judges the file that a program runs, if it is a stream or standard input. */
export function readsFile(file: string, run: Run, judge: (text: string) => void): void {
  if (file.includes(STREAM))
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  if (!isStdin(file)) return;
  if (isDescriptor(file) && run.stdin.length === 0)
    run.note("blocked", `${run.callText()} runs what it reads from a file descriptor`);
  readsStdin(run, judge);
}

function plusAsMinus(args: readonly string[]): readonly string[] {
  return args.map((word) => (/^\+[a-zA-Z]/.test(word) ? `-${word.slice(1)}` : word));
}

/** Words by which cmd and PowerShell delete, where a command may stand. */
const DELETES: Readonly<Record<string, RegExp>> = {
  cmd: /(?:^|[\s&|("'])(?:rd|rmdir|del|erase|format|diskpart)(?:[\s)"']|$)/i,
  powershell: /(?:^|[\s;|&({"'=])(?:ri|rd|rmdir|del|erase|clc|spps|rp)(?:[\s;|)}"']|$)/i,
};

/** Judges PowerShell and cmd, which are not parsed: a blocked name in the text is enough. */
const foreign: Rule = (args, run, word) => {
  const line = args.join(" ");
  const deletes = DELETES[ruleName(word) === "cmd" ? "cmd" : "powershell"];
  if (deletes?.test(line))
    run.note("dangerous", `${run.callText()} deletes files or ends processes`);
  run.code(line);
  run.sweep(args);
  if (args.length === 0) readsStdin(run, (text) => run.code(text));
};

export const SHELL_RULES: readonly [string, Rule][] = [
  ...named(SHELLS, shell),
  ...named("cmd powershell pwsh", foreign),
  // These start a shell, which reads the same input.
  ...named("newgrp sg", (_args, run) => readsStdin(run, (text) => run.shell(text))),
];
