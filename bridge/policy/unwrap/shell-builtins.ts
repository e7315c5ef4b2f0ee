// Owns shell builtins that run or keep text: trap, alias, source, hash and similar ones.

import { parseAssignment, judgeVariable } from "../assignments.ts";
import { PROGRAM_OUTPUT } from "../word-marks.ts";
import { isBlockedFile } from "../program-names.ts";
import { registerRule, type Rule } from "../rule.ts";
import { enterFolder } from "../judge-paths.ts";
import { readOptions, valuesFor } from "./getopt.ts";
import { judgeRunFile } from "./shell-programs.ts";

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
