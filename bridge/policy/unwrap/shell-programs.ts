// Owns shells: the text after -c, their standard input, and the files that they run. Also owns
// shell builtins that run or keep text: trap, alias, source, hash and similar ones.

import { enterFolder } from "../judge-paths.ts";
import { isOwnScript } from "../own-folders.ts";
import { isDescriptor, isStdin } from "../path-text.ts";
import { toRuleName, isBlockedFile } from "../program-names.ts";
import type { Rule, Run } from "../rule.ts";
import { registerRule } from "../rule.ts";
import { parseAssignment, judgeVariable } from "../variable-rules.ts";
import { isWhollyUnknown, PROGRAM_OUTPUT } from "../word-marks.ts";
import type { OptionShape } from "./getopt.ts";
import { readOptions, hasOption, valuesFor } from "./getopt.ts";

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

const evaluate: Rule = (args, run) => run.judgeShellText(args.join(" "));

const trap: Rule = (args, run) => {
  const [action] = args[0] === "--" ? args.slice(1) : args;
  if (action !== undefined && !/^-[lpP]*$/.test(action)) run.judgeShellText(action);
};

/** Judges `alias x='…'`, including global and suffix aliases of zsh. */
const alias: Rule = (args, run) => {
  for (const word of args) {
    const from = word.indexOf("=");
    if (from > 0) run.judgeShellText(word.slice(from + 1));
  }
};

const source: Rule = (args, run) => {
  const [file] = args[0] === "--" ? args.slice(1) : args;
  if (file === undefined) return;
  if (file.includes(PROGRAM_OUTPUT))
    return run.note("blocked", `${run.callText()} runs the output of another program`);
  run.note("unknown", "script contents not checked");
  judgeRunFile(file, run, (text) => run.withStdin(false, []).judgeShellText(text));
};

/** Judges callbacks in the value of an option: `mapfile -C`, `complete -C`, `bind -x`. */
const callbacks =
  (letters: string): Rule =>
  (args, run) => {
    const options = readOptions(args, {
      values: `${letters}cdnOstuGWAPSXo`,
      flags: "*",
      mixesOperands: true,
    });
    for (const value of valuesFor(options, ...letters.split(""))) {
      // The value of bind is `"key": command`.
      const colon = value.indexOf(":");
      run.judgeShellText(value);
      if (colon >= 0) run.judgeShellText(value.slice(colon + 1).replaceAll(/^\s*"|"\s*$/g, ""));
    }
  };

/** Judges `hash -p /bin/rm ls`, which makes `ls` run rm. */
const hash: Rule = (args, run) => {
  if (!args.includes("-p")) return;
  run.note("dangerous", `${run.callText()} changes which program a name runs`);
  if (args.some(isBlockedFile))
    run.note("blocked", "makes a blocked program available under another name");
};

const declare: Rule = (args, run, name) => {
  if (!/^(?:export|readonly|setenv)$/.test(name) && args.some((word) => /^-[a-zA-Z]*n/.test(word)))
    run.note("dangerous", `${run.callText()} makes a variable an alias of another one`);
  for (const word of args) {
    const assignment = parseAssignment(word);
    if (assignment !== undefined) judgeVariable(assignment.name, assignment.value, run);
  }
};

/** Judges `enable -f lib.so name`, which loads a builtin from a file. */
const enable: Rule = (args, run) => {
  if (args.some((word) => /^-[a-zA-Z]*f/.test(word)))
    run.note("dangerous", `${run.callText()} loads code into the shell`);
};

const jobs: Rule = (args, run) => {
  const from = args.indexOf("-x");
  if (from >= 0) run.judgeArgv(args.slice(from + 1));
};

const fc: Rule = (args, run) => {
  run.note("dangerous", `${run.callText()} runs commands from the history`);
  for (const value of valuesFor(readOptions(args, { values: "e", flags: "*" }), "e"))
    run.judgeShellText(value);
};

/** Records the new folder: relative paths start there (own-folders.ts). */
const changeFolder: Rule = (args, run) => {
  enterFolder(args.find((word) => !word.startsWith("-")) ?? "~", run);
};

export const BUILTIN_RULES: readonly [string, Rule][] = [
  ["eval", evaluate],
  ["trap", trap],
  ["alias", alias],
  ...registerRule("source .", source),
  ...registerRule("mapfile readarray", callbacks("C")),
  ...registerRule("complete compgen compopt", callbacks("CF")),
  ["bind", callbacks("x")],
  ["hash", hash],
  ...registerRule("declare typeset local export readonly setenv", declare),
  ["enable", enable],
  ["jobs", jobs],
  ["fc", fc],
  ...registerRule("cd chdir pushd", changeFolder),
];
