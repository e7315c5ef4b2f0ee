// Owns shells: the text after -c, their standard input, and the files that they run.

import { isWhollyUnknown, PROGRAM_OUTPUT } from "../word-marks.ts";
import { toRuleName } from "../program-names.ts";
import { isOwnScript } from "../own-folders.ts";
import { isDescriptor, isStdin } from "../path-text.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { type OptionShape, readOptions, hasOption } from "./getopt.ts";

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

const STARTUP_OPTIONS = /^(?:rcfile|init-file|config)$/;

const shell: Rule = (args, run) => {
  const options = readOptions(toMinusOptions(args), SHAPE);
  const [first, ...rest] = options.operands;
  for (const [name, value] of options.given) {
    if (STARTUP_OPTIONS.test(name) && value?.includes(PROGRAM_OUTPUT))
      run.note("blocked", `${run.callText()} runs the output of another program`);
    if ((name === "command" || name === "init-command" || name === "C") && value)
      run.judgeShellText(value);
  }
  if (options.hasUnknown) run.judgeEveryStart(args);
  if (hasOption(options, "c")) return judgeCommandText(first, rest, run);
  if (first !== undefined && !hasOption(options, "s") && !isStdin(first))
    return judgeScriptFile(first, run);
  const judge = (text: string): void => run.withStdin(false, []).judgeShellText(text);
  if (first === undefined) judgeStdin(run, judge);
  else judgeRunFile(first, run, judge);
};

function judgeCommandText(text: string | undefined, rest: readonly string[], run: Run): void {
  if (text === undefined || isWhollyUnknown(text))
    return run.note("unknown", "runs a shell command known only at run time");
  if (text.replaceAll(PROGRAM_OUTPUT, "").trim() === "" && text.includes(PROGRAM_OUTPUT)) {
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  }
  run.judgeShellText(text, rest);
}

function judgeScriptFile(file: string, run: Run): void {
  if (file.includes(PROGRAM_OUTPUT))
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  if (isOwnScript(file, run.cwd)) run.noteOwn("runs or changes pairpty itself");
  run.note("unknown", "script contents not checked");
}

/** Judges the standard input of a program that runs it: inline text by its contents, a pipe as blocked. */
export function judgeStdin(run: Run, judge: (text: string) => void): void {
  for (const text of run.stdin) judge(text);
  if (run.isPiped) run.note("blocked", `${run.callText()} runs the output of another program`);
}

/** Judges the file that a program runs, if it is a stream or standard input. */
export function judgeRunFile(file: string, run: Run, judge: (text: string) => void): void {
  if (file.includes(PROGRAM_OUTPUT))
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  if (!isStdin(file)) return;
  if (isDescriptor(file) && run.stdin.length === 0)
    run.note("blocked", `${run.callText()} runs what it reads from a file descriptor`);
  judgeStdin(run, judge);
}

function toMinusOptions(args: readonly string[]): readonly string[] {
  return args.map((word) => (/^\+[a-zA-Z]/.test(word) ? `-${word.slice(1)}` : word));
}

/** Words by which cmd and PowerShell delete, where a command may stand. */
const DELETES: Readonly<Record<string, RegExp>> = {
  cmd: /(?:^|[\s&|("'])(?:rd|rmdir|del|erase|format|diskpart)(?:[\s)"']|$)/i,
  powershell: /(?:^|[\s;|&({"'=])(?:ri|rd|rmdir|del|erase|clc|spps|rp)(?:[\s;|)}"']|$)/i,
};

/** Judges PowerShell and cmd, which are not parsed: a blocked name in the text is enough. */
const judgeOtherShell: Rule = (args, run, word) => {
  const line = args.join(" ");
  const deletes = DELETES[toRuleName(word) === "cmd" ? "cmd" : "powershell"];
  if (deletes?.test(line))
    run.note("dangerous", `${run.callText()} deletes files or ends processes`);
  run.judgeCode(line);
  run.judgeEveryStart(args);
  if (args.length === 0) judgeStdin(run, (text) => run.judgeCode(text));
};

export const SHELL_RULES: readonly [string, Rule][] = [
  ...registerRule(SHELLS, shell),
  ...registerRule("cmd powershell pwsh", judgeOtherShell),
  // These start a shell, which reads the same input.
  ...registerRule("newgrp sg", (_args, run) => judgeStdin(run, (text) => run.judgeShellText(text))),
];
