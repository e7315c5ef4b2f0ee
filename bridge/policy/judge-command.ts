// Owns judging one command whose words are resolved: its name, its words, then the rule for its
// program. The rules for the arguments of each program are in unwrap/. Also owns judging a program
// that has neither a rule nor a place on the safe list: it may run the rest of its line (`frob -n 5
// rm x`), or have a sub-command called `rm`.

import { parseAssignment } from "./variable-rules.ts";
import { formatCode } from "./rule.ts";
import { judgeFolderWalk } from "./folder-walkers.ts";
import { findHarmlessMismatch } from "./harmless/harmless-calls.ts";
import {
  isListedTool,
  judgeIrreversible,
  judgeVerbNames,
} from "./irreversible/judge-irreversible.ts";
import {
  enterFolders,
  judgeCopies,
  judgeOwnVariables,
  judgePath,
  readsOnly,
  judgeSecrets,
} from "./judge-paths.ts";
import { judgeNamedValues, markOptions } from "./option-kinds.ts";
import { isOwnProgram, isOwnName } from "./own-folders.ts";
import { isBlockDevice, isDeviceWithEffect } from "./path-text.ts";
import {
  findBlockedReason,
  findDangerousReason,
  isSafeName,
  toRuleName,
  findBlockedArgumentReason,
  isHarmfulAlone,
  takesNamesAsData,
} from "./program-names.ts";
import type { Run } from "./rule.ts";
import { dangerousCommand } from "./text-patterns.ts";
import { RULES } from "./unwrap/rule-table.ts";
import { SWEPT_WITH_VERBS } from "./unwrap/swept-programs.ts";
import {
  isWhollyUnknown,
  isMarked,
  toReadable,
  PROGRAM_OUTPUT,
  withoutUnknown,
} from "./word-marks.ts";

/** History references of interactive shells: `!!:s/ls/rm/`, `!r`, `^ls^rm`. */
const HISTORY = /^(?:![^\s=(]|\^[^^]*\^)/;

/** Programs whose output is known, for a program behind a pipe that runs it. */
const PRINTS = /^(?:echo|printf|print)$/;

export function hasRule(name: string): boolean {
  return RULES.has(name) || isListedTool(name);
}

export function judgeCommand(argv: readonly string[], run: Run): void {
  const [word, ...args] = argv;
  if (word === undefined) return run.note("unknown", "names no program");
  const text = toPlainText(argv);
  for (const { why, program } of dangerousCommand(text, run.lists.dangerous)) {
    run.note("dangerous", why, { level: "dangerous", basis: "hint", program });
  }
  run.notePatterns(text);
  judgeWords(argv, run);
  if (isWhollyUnknown(word)) return judgeUnknownProgram(args, run);
  if (word.includes(PROGRAM_OUTPUT))
    return run.note("blocked", "runs the output of another program as a command");
  judgeName(word, run);
  judgeCall(word, args, run);
  if (!isSafe(word, run)) judgeNamedValues(word, args, run);
  markOptions(word, args, run);
  judgeIrreversible(word, args, run);
  const rule = RULES.get(toRuleName(word));
  if (rule !== undefined) {
    rule(args, run, word);
    if (SWEPT_WITH_VERBS.has(toRuleName(word))) judgeVerbNames(word, args, run);
  }
  // The name is uncertain, or is an assignment that a wrapper may accept in front of a command.
  else if (isMarked(word) || parseAssignment(word) !== undefined) run.judgeEveryStart(args);
  else if (!isSafe(word, run)) {
    judgeUnlistedProgram(word, args, run);
    judgeVerbNames(word, args, run);
  }
  if (PRINTS.test(word)) run.rememberPrinted(args.join(" "));
}

function judgeName(word: string, run: Run): void {
  const blocked = findBlockedReason(word);
  if (blocked !== undefined) run.note("blocked", `${run.callText()} ${blocked}`);
  if (isOwnProgram(word)) run.noteOwn("runs or changes pairpty itself");
  if (HISTORY.test(word)) run.note("dangerous", "repeats or changes a command from the history");
  const dangerous = findDangerousReason(word);
  if (dangerous !== undefined) run.note("dangerous", `${run.callText()} ${dangerous}`);
  // The quiet list goes beyond `terminal.safeCommands`, so the level stays `unknown`.
  if (isQuiet(word, run)) return run.note("safe", "", { level: "unknown" });
  if (isSafe(word, run)) return;
  const kind = `${toReadable(word)} is not on the safe list`;
  run.note("unknown", `${formatCode(word)} isn't on the safe list`, { kind, basis: "unlisted" });
}

function isSafe(word: string, run: Run): boolean {
  return isSafeName(word, run.lists.safe) || isSafeName(word, run.lists.trusted);
}

/** Whether the name is on the quiet list; a name that the user trusts takes precedence. */
function isQuiet(word: string, run: Run): boolean {
  return isSafeName(word, run.lists.alsoHarmless) && !isSafe(word, run);
}

/** Judges the arguments of a program on the safe list: only listed calls of it are safe. */
function judgeCall(word: string, args: readonly string[], run: Run): void {
  if (!isSafeName(word, run.lists.safe) && !isQuiet(word, run)) return;
  const found = findHarmlessMismatch(word, args, run.own);
  if (found?.isOutward === true && !run.lists.asksForOutward) return;
  if (found === undefined) return;
  const { why, level, kind, isListed } = found;
  run.note("unknown", why, { level, kind, basis: isListed === true ? "rule" : "unlisted" });
}

/** Judges `$CMD rm x`: the name is unknown, and if the variable is empty, the next word is the name. */
function judgeUnknownProgram(args: readonly string[], run: Run): void {
  run.note("unknown", "the program's name is known only at run time");
  if (args.length === 0) return;
  run.judgeArgv(args);
  run.judgeEveryStart(args);
}

function judgeWords(argv: readonly string[], run: Run): void {
  enterFolders(argv, run);
  const reads = readsOnly(argv[0] ?? "");
  for (const word of argv) {
    judgePath(word, run, reads);
    if (isBlockDevice(word)) run.note("dangerous", `${toReadable(word)} is a device`);
    else if (isSafeName(argv[0] ?? "") && isDeviceWithEffect(word))
      run.note("unknown", `${toReadable(word)} is a device`);
  }
  judgeCopies(argv, run);
  judgeFolderWalk(argv, run);
  judgeOwnVariables(argv, run);
  if (!isSafeName(argv[0] ?? "", run.lists.trusted)) judgeSecrets(argv, run);
}

/** Returns the command as plain text for the patterns; words that were quoted stay quoted. */
function toPlainText(argv: readonly string[]): string {
  return argv
    .map((word) => (/[\s'"]/.test(word) ? `'${withoutUnknown(word)}'` : withoutUnknown(word)))
    .join(" ");
}

/** Words between the name of a wrapper and the command that it runs. */
const BEFORE_COMMAND = /^(?:[-+].*|[A-Za-z_]\w*=.*|[\d.,:%]+[a-z]?)$/s;
/** An option whose value may be the next word. */
const MAY_TAKE_NEXT = /^-[^=]*$/;
/** Sub-commands by which programs run another program. */
const RUNS = /^(?:run|exec|shell|ssh|enter|spawn)$/;
const RUNS_TEXT = /^(?:-[cCex]|--(?:command|cmd|exec|execute|run|shell|wrap))(?:=([\s\S]*))?$/;

function judgeUnlistedProgram(word: string, args: readonly string[], run: Run): void {
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
