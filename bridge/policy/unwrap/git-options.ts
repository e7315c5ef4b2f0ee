// Owns git: its configuration on the command line, and the options whose value it runs. Looks only
// for calls worse than unknown; the harmless ones are in harmless/git-calls.ts.

import { judgeWrittenFile } from "../redirects.ts";
import type { Rule, Run } from "../rule.ts";
import { judgeSubCommand, judgeGitText } from "./git-sub-commands.ts";

/** Options before the sub-command that take the next word. */
const TAKES_NEXT: ReadonlySet<string> = new Set([
  "-c",
  "-C",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--config-env",
  "--exec-path",
  "--attr-source",
]);

/** Long options of any sub-command whose value is run; every unique prefix counts (`--upload-pa`). */
const RUN_OPTIONS = [
  "--upload-pack",
  "--receive-pack",
  "--exec",
  "--access-hook",
  "--extcmd",
  "--open-files-in-pager",
  "--smtp-server",
];
const WRITE_OPTION = "--output";
/** Shorter prefixes are ambiguous (`--ex` could be two of them): any match counts. */
const MIN_PREFIX = 4;

/** `ext::` runs its address as a command, `fd::` reads an inherited descriptor. */
const TRANSPORT = /^(?:ext|fd)::/;

export const git: Rule = (args, run) => {
  let index = 0;
  for (; index < args.length; index++) {
    const word = args[index] ?? "";
    if (!word.startsWith("-")) break;
    if (word === "-c") judgeSetting(args[index + 1] ?? "", run);
    if (TAKES_NEXT.has(word)) index++;
  }
  const verb = args[index];
  if (verb === undefined) return;
  const rest = args.slice(index + 1);
  for (const word of rest) judgeArgument(word, rest, run);
  judgeSubCommand(verb, rest, run);
};

/** Judges `name=value`, also from git's variables: an alias or a program setting is a command line. */
export function judgeSetting(setting: string, run: Run): void {
  const from = setting.indexOf("=");
  if (from <= 0) return;
  const value = setting.slice(from + 1);
  if (/^alias\./i.test(setting) && !value.startsWith("!"))
    return run.asPossible().judgeArgv(["git", ...value.split(/\s+/)]);
  judgeGitText(value.replace(/^!/, ""), run);
}

function judgeArgument(word: string, rest: readonly string[], run: Run): void {
  // git's quoting in these addresses: `% ` is a blank.
  if (TRANSPORT.test(word))
    return run.asPossible().judgeShellText(word.replace(TRANSPORT, "").replaceAll("% ", " "));
  if (!word.startsWith("--")) return;
  const [name = "", ...values] = word.split("=");
  if (name.length < MIN_PREFIX) return;
  const value = values.length > 0 ? values.join("=") : rest[rest.indexOf(word) + 1];
  if (value === undefined) return;
  if (RUN_OPTIONS.some((option) => option.startsWith(name))) judgeGitText(value, run);
  if (WRITE_OPTION.startsWith(name)) judgeWrittenFile(value, false, run);
}
