// Owns judging a program that has neither a rule nor a place on the safe list: it may run the rest of
// its line (`frob -n 5 rm x`), or have a sub-command called `rm`.

import { blockedArgument, harmsAlone, ruleName, takesNamesAsData } from "./names.ts";
import { isListedTool } from "./irreversible/judge.ts";
import { isOwnName } from "./own.ts";
import type { Run } from "./run.ts";
import { RULES } from "./unwrap/table.ts";

/** Words between the name of a wrapper and the command that it runs. */
const BEFORE_COMMAND = /^(?:[-+].*|[A-Za-z_]\w*=.*|[\d.,:%]+[a-z]?)$/s;
/** An option whose value may be the next word. */
const MAY_TAKE_NEXT = /^-[^=]*$/;
/** Sub-commands by which programs run another program. */
const RUNS = /^(?:run|exec|shell|ssh|enter|spawn)$/;
const RUNS_TEXT = /^(?:-[cCex]|--(?:command|cmd|exec|execute|run|shell|wrap))(?:=([\s\S]*))?$/;

export function judgeStranger(word: string, args: readonly string[], run: Run): void {
  for (const at of starts(args, takesNamesAsData(word))) {
    const name = args[at] ?? "";
    const isBlocked = blockedArgument(name, run.own.isAmongPrograms) !== undefined;
    if (!isBlocked && !isOwnName(name)) {
      if (RULES.has(ruleName(name)) || isListedTool(ruleName(name)))
        run.aside().argv(args.slice(at));
      continue;
    }
    // `./gradlew kill`: as the last word a blocked name is a word like any other, unless it does harm
    // without arguments.
    if (at < args.length - 1 || harmsAlone(name)) run.aside().argv(args.slice(at));
  }
  judgeTexts(args, run);
  // `gh alias set x '!rm y'`
  for (const text of args) if (/^!\s*\w/.test(text)) run.aside().shell(text.slice(1));
}

/** Returns where a command could start. In programs with sub-commands: only after one that runs something. */
function starts(args: readonly string[], hasVerbs: boolean): number[] {
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
function judgeTexts(args: readonly string[], run: Run): void {
  let runs = false;
  for (const [at, word] of args.entries()) {
    const given = RUNS_TEXT.exec(word);
    const text = given === null ? (runs ? word : "") : (given[1] ?? args[at + 1] ?? "");
    if (/\s/.test(text)) run.aside().shell(text);
    if (RUNS.test(word)) runs = true;
  }
}
