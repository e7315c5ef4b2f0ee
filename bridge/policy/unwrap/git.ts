// Owns git: its configuration on the command line, and the options whose value it runs. Looks only
// for calls worse than unknown; the harmless ones are in harmless/git-calls.ts. Also owns what
// git's sub-commands run, and which of them discard what cannot be restored.

import { judgeWrittenFile } from "../redirects.ts";
import type { Rule, Run } from "../rule.ts";
import { formatCall } from "../rule.ts";
import { UNKNOWN_VALUE } from "../word-marks.ts";
import { readOptions, valuesFor } from "./getopt.ts";

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

/** Judges a value that git passes to a shell, or runs as a program. */
function judgeGitText(text: string, run: Run): void {
  run.note("unknown", "`git` runs a command from its options or settings");
  run.asPossible().judgeShellText(text);
}

function judgeSubCommand(verb: string, args: readonly string[], run: Run): void {
  const harm = HARMS[verb]?.(args);
  const call = formatCall(["git", verb, ...args], 1);
  if (harm !== undefined) run.note("dangerous", `${call} ${harm}`);
  switch (verb) {
    case "bisect":
      if (args[0] === "run") run.judgeArgv(args.slice(1));
      return;
    case "submodule":
      if (args.includes("foreach")) judgeGitText(afterWord(args, "foreach").join(" "), run);
      return;
    case "rebase":
    case "difftool":
      return judgeShortOption(args, "x", run);
    case "clone":
      return judgeShortOption(args, "u", run);
    case "grep":
      for (const word of args) {
        if (!/^-[a-zA-Z]*O/.test(word) || word.startsWith("--")) continue;
        judgeGitText(word.slice(word.indexOf("O") + 1) || UNKNOWN_VALUE, run);
      }
      return;
    case "config":
      for (const value of args.filter((word) => !word.startsWith("-") && word !== "set").slice(1))
        run.asPossible().judgeShellText(value.replace(/^!/, ""));
      return;
    case "filter-branch":
    case "filter-repo":
      return run.judgeEveryStart(args);
    case "push":
      if (isForced(args) || isDelete(args) || has(args, /^(?:--mir|--pru|\+|:.)/))
        run.note("dangerous", `${call} overwrites or deletes commits or branches of the remote`);
      return;
    case "apply":
      if (args.some((word) => word.startsWith("--unsafe")))
        run.note("dangerous", `${call} can write outside the folder`);
      return;
    default:
  }
}

/** Whether an option letter is given; after one of `bBcCo` the rest of the word is a value (`-bfeature`). */
const hasLetter = (args: readonly string[], letter: string): boolean =>
  args.some((word) => /^-[^-bBcCo]*/.exec(word)?.[0].includes(letter) ?? false);

/** Whether `--force`, `--force-with-lease` or an abbreviation of them is given. */
const isForced = (args: readonly string[]): boolean =>
  hasLetter(args, "f") || args.some((word) => /^--fo?r?(?:c|$)/.test(word));

const isDelete = (args: readonly string[]): boolean =>
  hasLetter(args, "d") || args.some((word) => word.startsWith("--del"));

const has = (args: readonly string[], what: RegExp): boolean =>
  args.some((word) => what.test(word));

/** Whether files in the working folder are overwritten. */
const overwritesFiles = (args: readonly string[]): boolean =>
  isForced(args) || has(args, /^(?:--|--dis.*|--pathspec.*|\.{1,2}(?:\/.*)?|:[/(!^].*)$/);

/** A name with the extension of a source file, or a slash at its end. */
const LOOKS_LIKE_FILES =
  /\/$|\.(?:[cm]?[jt]sx?|json|md|txt|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|ya?ml|toml|css|scss|html|vue|svelte|sql|lock|env)$/;

/** Whether operands may be files, whose changes are lost: `git checkout HEAD README.md`. */
const namesFiles = (args: readonly string[]): boolean => {
  if (has(args, /^-[a-zA-Z]*[bt]|^--(?:orphan|track)/)) return false;
  const operands = args.filter((word) => !word.startsWith("-"));
  return operands.length > 1 || operands.some((word) => LOOKS_LIKE_FILES.test(word));
};

const DISCARDS = "discards uncommitted changes";
const MOVES_BRANCH = "moves an existing branch";
const REWRITES = "rewrites the history";

type Harm = (args: readonly string[]) => string | undefined;

const harmIf =
  (harm: string, test: (args: readonly string[]) => boolean): Harm =>
  (args) =>
    test(args) ? harm : undefined;

/** What cannot be restored after a sub-command, for people; undefined if the arguments make it harmless. */
const HARMS: Readonly<Record<string, Harm>> = {
  reset: (args) =>
    has(args, /^--(?:h|me)/) ? DISCARDS : "moves the branch, or drops what is staged",
  "filter-branch": () => REWRITES,
  "filter-repo": () => REWRITES,
  prune: harmIf("deletes unreachable commits", (args) => !has(args, /^(?:-n|--dry-run)$/)),
  "read-tree": harmIf(DISCARDS, (args) => has(args, /^--reset$/) || hasLetter(args, "u")),
  "checkout-index": harmIf(DISCARDS, isForced),
  "update-ref": harmIf(
    "can delete branches and tags",
    (args) => hasLetter(args, "d") || has(args, /^--stdin$/),
  ),
  gc: harmIf("deletes unreachable commits", (args) => has(args, /^--prune|^--expire/)),
  reflog: harmIf("deletes the record of earlier commits", (args) =>
    has(args, /^(?:expire|delete)$/),
  ),
  // Without -f only a setting (`clean.requireForce`) prevents it.
  clean: harmIf("deletes untracked files", (args) => !has(args, /^-[a-zA-Z]*n|^--dr/)),
  stash: harmIf("deletes stashed changes", ([verb]) => verb === "drop" || verb === "clear"),
  checkout: (args) => {
    if (overwritesFiles(args)) return DISCARDS;
    if (has(args, /^-[a-zA-Z]*B/)) return MOVES_BRANCH;
    return namesFiles(args) ? "can discard uncommitted changes" : undefined;
  },
  switch: (args) => {
    if (overwritesFiles(args)) return DISCARDS;
    return has(args, /^(?:-[a-zA-Z]*C|--force-c)/) ? MOVES_BRANCH : undefined;
  },
  // `--staged` alone changes only the index.
  restore: harmIf(
    DISCARDS,
    (args) => !has(args, /^--st|^-[a-zA-Z]*S/) || has(args, /^--w|^-[a-zA-Z]*W/),
  ),
  rm: harmIf(
    "deletes files with uncommitted changes",
    (args) => isForced(args) && !has(args, /^--cached$/),
  ),
  tag: harmIf("deletes or moves a tag", (args) => isDelete(args) || isForced(args)),
  submodule: harmIf(DISCARDS, (args) => args[0] === "deinit" && isForced(args)),
  branch: harmIf(
    "deletes or moves a branch, merged or not",
    (args) => hasLetter(args, "D") || isForced(args),
  ),
  remote: harmIf(
    "removes a remote and what was fetched from it",
    ([verb]) => verb === "remove" || verb === "rm",
  ),
  replace: harmIf("deletes a replacement of a commit", isDelete),
  "symbolic-ref": harmIf("deletes a symbolic ref", isDelete),
  notes: harmIf("deletes notes", ([verb]) => verb === "remove" || verb === "prune"),
  lfs: harmIf(
    "deletes local LFS files or rewrites the history",
    ([verb]) => verb === "prune" || verb === "migrate",
  ),
  worktree: harmIf(DISCARDS, (args) => args[0] === "remove" && isForced(args)),
};

function judgeShortOption(args: readonly string[], letter: string, run: Run): void {
  const options = readOptions(args, { values: letter, flags: "*", mixesOperands: true });
  for (const value of valuesFor(options, letter)) judgeGitText(value, run);
}

function afterWord(args: readonly string[], word: string): readonly string[] {
  return args.slice(args.indexOf(word) + 1).filter((part) => !part.startsWith("--"));
}
