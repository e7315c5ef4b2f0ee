// Owns the one table from the name of a program to the rule for its arguments.

import type { Rule, RuleTable } from "../rule.ts";
import { AWK_RULES, SED_RULES } from "./text-programs.ts";
import { BUILTIN_RULES, SHELL_RULES } from "./shell-programs.ts";
import { REMOTE_RULES } from "./remote-and-later.ts";
import { FILE_RULES, FIND_RULES } from "./file-programs.ts";
import { git } from "./git.ts";
import { INTERPRETER_RULES } from "./interpreters.ts";
import { MACHINE_RULES, TYPING_RULES } from "./system-programs.ts";
import { PACKAGE_RULES, RUNNER_RULES, TOOL_RULES } from "./package-managers.ts";
import { PREFIX_RULES } from "./prefix-programs.ts";
import { PROGRAM_RULES } from "./command-options.ts";
import { SWEPT_RULES } from "./swept-programs.ts";

/** Programs that run what they are given. */
const RUNNING_RULES: readonly (readonly [string, Rule])[] = [
  ...PREFIX_RULES,
  ...SHELL_RULES,
  ...BUILTIN_RULES,
  ...INTERPRETER_RULES,
  ...AWK_RULES,
  ...SED_RULES,
  ...FIND_RULES,
];

const ALL: readonly (readonly [string, Rule])[] = [
  ...RUNNING_RULES,
  ...FILE_RULES,
  ...PACKAGE_RULES,
  ...RUNNER_RULES,
  ...PROGRAM_RULES,
  ...REMOTE_RULES,
  ...MACHINE_RULES,
  ...SWEPT_RULES,
  ...TOOL_RULES,
  ...TYPING_RULES,
  ["git", git],
];

/** A program in two groups gets both rules. */
export const RULES: RuleTable = ALL.reduce((table, [name, rule]) => {
  const before = table.get(name);
  if (before === undefined) return table.set(name, rule);
  return table.set(name, (args, run, word) => {
    before(args, run, word);
    rule(args, run, word);
  });
}, new Map<string, Rule>());

/** Only the words after their `run` and `exec` are swept; their other sub-commands run nothing. */
const OWN_VERBS: ReadonlySet<string> = new Set(["cargo", "pnpm"]);

/** Wrappers, shells and interpreters: they run their arguments. */
export const RUNS_ARGUMENTS: ReadonlySet<string> = new Set(
  [...RUNNING_RULES, ...RUNNER_RULES, ...REMOTE_RULES, ...SWEPT_RULES]
    .map(([name]) => name)
    .filter((name) => !OWN_VERBS.has(name)),
);
