// Owns the one table from the name of a program to the rule for its arguments.

import type { Rule, RuleTable } from "../run.ts";
import { AWK_RULES } from "./awk.ts";
import { BUILTIN_RULES } from "./builtins.ts";
import { ELSEWHERE_RULES } from "./elsewhere.ts";
import { FILE_RULES } from "./files.ts";
import { FIND_RULES } from "./find.ts";
import { git } from "./git.ts";
import { INTERPRETER_RULES } from "./interpreters.ts";
import { MACHINE_RULES } from "./machine.ts";
import { PACKAGE_RULES, RUNNER_RULES } from "./npm.ts";
import { PREFIX_RULES } from "./prefixes.ts";
import { PROGRAM_RULES } from "./programs.ts";
import { SED_RULES } from "./sed.ts";
import { SHELL_RULES } from "./shells.ts";
import { SWEPT_RULES } from "./swept.ts";
import { TOOL_RULES } from "./tools.ts";
import { TYPING_RULES } from "./typing.ts";

const ALL: readonly (readonly [string, Rule])[] = [
  ...PREFIX_RULES,
  ...SHELL_RULES,
  ...BUILTIN_RULES,
  ...INTERPRETER_RULES,
  ...AWK_RULES,
  ...SED_RULES,
  ...FIND_RULES,
  ...FILE_RULES,
  ...PACKAGE_RULES,
  ...RUNNER_RULES,
  ...PROGRAM_RULES,
  ...ELSEWHERE_RULES,
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

/** Swept for the words after their `run` and `exec`; their other sub-commands are their own. */
const OWN_VERBS: ReadonlySet<string> = new Set(["cargo", "pnpm"]);

/** Wrappers, shells and interpreters: they run their arguments. */
export const CARRIERS: ReadonlySet<string> = new Set(
  [
    ...PREFIX_RULES,
    ...SHELL_RULES,
    ...BUILTIN_RULES,
    ...INTERPRETER_RULES,
    ...AWK_RULES,
    ...SED_RULES,
    ...FIND_RULES,
    ...RUNNER_RULES,
    ...ELSEWHERE_RULES,
    ...SWEPT_RULES,
  ]
    .map(([name]) => name)
    .filter((name) => !OWN_VERBS.has(name)),
);
