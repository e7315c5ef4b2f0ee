// Owns what the name of an option or a setting says about its value, for every program that is not on
// the safe list: `…editor`, `…command` and similar ones are run, `--output` is written. Options of
// programs with a rule are in unwrap/.

import { RUN_BY_NAME } from "./variable-rules.ts";
import { findBlockedReason, getProgramName } from "./program-names.ts";
import { isDevice, isTrustedFile } from "./path-text.ts";
import { judgeWrittenFile } from "./redirects.ts";
import type { Run } from "./rule.ts";

const OPTION = /^--?([A-Za-z][\w.:-]+)(?:=([\s\S]*))?$/;
/** `--diff-cmd`, `-toolexec`, `--run_under`, `-vettool`, `--preview`. */
const RUN_OPTION = new RegExp(
  `(?:${RUN_BY_NAME}|EXECUTE|TOOL|UNDER|PREVIEW|PREPARE|ENTRYPOINT|EVAL)$`,
  "i",
);
/** `-XX:OnError=` */
const EVENT_OPTION = /(?:^|[-.:])On[A-Z]\w*$/;
/** `--config alias.x='!rm y'`, `-Dexec.executable=rm`, `-o Pre-Invoke='rm x'` */
const SETTING = /^(?:-[A-Z])?([A-Za-z][\w.:-]*)=([\s\S]+)$/;
const RUN_SETTING = new RegExp(
  `(?:^|[.:_-])(?:${RUN_BY_NAME}|ALIAS|ALIASES|HOOKS)(?:[.:_-]|$)`,
  "i",
);
const OUTPUT =
  /^(?:-[oO]|--(?:output|output-document|output-file|outfile|out-file|out|dest))(?:=([\s\S]*))?$/;
/** Programs whose `-i` changes the files that they are given. */
const CHANGES_FILES = /^(?:g?sed|ssed|perl|ruby|yq|dasel)$/;
const IN_PLACE = /^(?:-[a-zA-Z]*i|--in-?place)/;

export function judgeNamedValues(word: string, args: readonly string[], run: Run): void {
  const changes =
    CHANGES_FILES.test(getProgramName(word)) && args.some((arg) => IN_PLACE.test(arg));
  for (const [at, arg] of args.entries()) {
    const next = args[at + 1];
    const [, name, glued] = OPTION.exec(arg) ?? [];
    if (name !== undefined && (RUN_OPTION.test(name) || EVENT_OPTION.test(name)))
      judgeRun(glued ?? next, run);
    const [, setting, value] = SETTING.exec(arg) ?? [];
    if (setting !== undefined && RUN_SETTING.test(setting)) judgeRun(value, run);
    const output = OUTPUT.exec(arg);
    if (output !== null) judgeTarget(output[1] ?? next, run);
    if (changes && !arg.startsWith("-")) judgeTarget(arg, run);
  }
}

/** Judges a command line or program; `!` often starts a command, and lists have brackets and commas. */
function judgeRun(value: string | undefined, run: Run): void {
  const text = (value ?? "")
    .replace(/^[!|]/, "")
    .replaceAll(/[[\]",]/g, " ")
    .trim();
  if (text.startsWith("-")) return;
  if (/\s/.test(text)) run.asPossible().judgeShellText(text);
  else if (findBlockedReason(text) !== undefined) run.asPossible().judgeArgv([text]);
}

function judgeTarget(path: string | undefined, run: Run): void {
  if (path !== undefined && (isTrustedFile(path) || isDevice(path)))
    judgeWrittenFile(path, false, run);
}
