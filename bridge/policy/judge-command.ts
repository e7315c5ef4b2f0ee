// Owns judging one command whose words are resolved: its name, its words, then the rule for its
// program. The rules for the arguments of each program are in unwrap/.

import { parseAssignment } from "./assignments.ts";
import { formatCode } from "./call-text.ts";
import { dangerousCommand } from "./text-patterns.ts";
import {
  isWhollyUnknown,
  isMarked,
  toReadable,
  PROGRAM_OUTPUT,
  withoutUnknown,
} from "./word-marks.ts";
import { findBlockedReason, findDangerousReason, isSafeName, toRuleName } from "./program-names.ts";
import { isOwnProgram } from "./own-folders.ts";
import { isBlockDevice, isDeviceWithEffect } from "./path-text.ts";
import { findHarmlessMismatch } from "./harmless/harmless-calls.ts";
import type { Run } from "./rule.ts";
import { judgeFolderWalk } from "./folder-walkers.ts";
import {
  isListedTool,
  judgeIrreversible,
  judgeVerbNames,
} from "./irreversible/judge-irreversible.ts";
import { judgeNamedValues } from "./option-value-names.ts";
import { markOptions } from "./option-kinds.ts";
import { judgeSecrets } from "./secret-files.ts";
import { judgeUnlistedProgram } from "./unlisted-programs.ts";
import {
  enterFolders,
  judgeCopies,
  judgeOwnVariables,
  judgePath,
  readsOnly,
} from "./judge-paths.ts";
import { SWEPT_WITH_VERBS } from "./unwrap/swept-programs.ts";
import { RULES } from "./unwrap/rule-table.ts";

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
