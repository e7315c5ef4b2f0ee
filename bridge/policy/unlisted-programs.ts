// Owns judging a program that has neither a rule nor a place on the safe list: it may run the rest of
// its line (`frob -n 5 rm x`), or have a sub-command called `rm`.

import {
  findBlockedArgumentReason,
  isHarmfulAlone,
  toRuleName,
  takesNamesAsData,
} from "./program-names.ts";
import { isListedTool } from "./irreversible/judge-irreversible.ts";
import { isOwnName } from "./own-folders.ts";
import type { Run } from "./rule.ts";
import { RULES } from "./unwrap/rule-table.ts";

/** Words between the name of a wrapper and the command that it runs. */
const BEFORE_COMMAND = /^(?:[-+].*|[A-Za-z_]\w*=.*|[\d.,:%]+[a-z]?)$/s;
/** An option whose value may be the next word. */
const MAY_TAKE_NEXT = /^-[^=]*$/;
/** Sub-commands by which programs run another program. */
const RUNS = /^(?:run|exec|shell|ssh|enter|spawn)$/;
const RUNS_TEXT = /^(?:-[cCex]|--(?:command|cmd|exec|execute|run|shell|wrap))(?:=([\s\S]*))?$/;

export function judgeUnlistedProgram(word: string, args: readonly string[], run: Run): void {
  for (const at of findCommandStarts(args, takesNamesAsData(word))) {
    const name = args[at] ?? "";
    const isBlocked = findBlockedArgumentReason(name, run.own.isInProgramFolder) !== undefined;
    if (!isBlocked && !isOwnName(name)) {
      if (RULES.has(toRuleName(name)) || isListedTool(toRuleName(name)))
        run.asPossible().judgeArgv(args.slice(at));
      continue;
    }
    // `./gradlew kill`: as the last word a blocked name is a word like any other, unless it does harm
    // without arguments.
    if (at < args.length - 1 || isHarmfulAlone(name)) run.asPossible().judgeArgv(args.slice(at));
  }
  judgeTextArguments(args, run);
  // `gh alias set x '!rm y'`
  for (const text of args) if (/^!\s*\w/.test(text)) run.asPossible().judgeShellText(text.slice(1));
}

/** Returns where a command could start. In programs with sub-commands: only after one that runs something. */
function findCommandStarts(args: readonly string[], hasVerbs: boolean): number[] {
  const places: number[] = [];
  let isOpen = !hasVerbs;
  let runs = false;
  for (const [at, word] of args.entries()) {
    const before = args[at - 1] ?? "";
    if (before === "--" || runs || (isOpen && !BEFORE_COMMAND.test(word))) places.push(at);
    if (!BEFORE_COMMAND.test(word) && !MAY_TAKE_NEXT.test(before)) isOpen = false;
    if (RUNS.test(word)) runs = true;
  }
  return places;
}

/** Judges arguments that may be shell text: `frob exec 'rm x'`, `frob -c 'rm x'`. */
function judgeTextArguments(args: readonly string[], run: Run): void {
  let runs = false;
  for (const [at, word] of args.entries()) {
    const given = RUNS_TEXT.exec(word);
    const text = given === null ? (runs ? word : "") : (given[1] ?? args[at + 1] ?? "");
    if (/\s/.test(text)) run.asPossible().judgeShellText(text);
    if (RUNS.test(word)) runs = true;
  }
}
