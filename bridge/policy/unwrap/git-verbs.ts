// Owns git's verbs: which are known, and which run what they are given.

import { UNKNOWN } from "../marks.ts";
import type { Run } from "../run.ts";
import { readOptions, valuesFor } from "./options.ts";

/** Verbs whose plain use stays as safe as seed 004 calls git. Not here: what sets or serves something. */
export const KNOWN_VERBS: ReadonlySet<string> = new Set(
  (
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap " +
    "check-ref-format checkout cherry cherry-pick clean clone column commit commit-tree config count-objects " +
    "describe diff diff-files diff-index diff-tree difftool fetch fetch-pack for-each-ref format-patch fsck gc " +
    "get-tar-commit-id grep hash-object help init log ls-files ls-remote ls-tree merge merge-base merge-file " +
    "merge-tree mergetool mktree mv name-rev notes pull push range-diff rebase reflog remote repack rerere reset " +
    "restore rev-list rev-parse revert shortlog show show-branch show-index show-ref sparse-checkout stage stash " +
    "status stripspace submodule switch symbolic-ref tag var verify-commit verify-pack verify-tag version " +
    "whatchanged worktree write-tree"
  ).split(" "),
);

/** A value that git hands to a shell, or runs as a program. */
export function runsText(text: string, run: Run): void {
  run.note("unknown", "git runs a command");
  run.aside().shell(text);
}

const READS_CONFIG =
  /^(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l|--show-origin|--show-scope|get|list)$/;

export function judgeVerb(verb: string, args: readonly string[], run: Run): void {
  switch (verb) {
    case "bisect":
      if (args[0] === "run") {
        run.note("unknown", "git bisect runs a command");
        run.argv(args.slice(1));
      }
      return;
    case "submodule":
      if (args.includes("foreach")) runsText(afterWord(args, "foreach").join(" "), run);
      return;
    case "rebase":
      if (args.some((word) => word === "-i" || word === "--interactive"))
        run.note("unknown", "opens an editor");
      return shortOption(args, "x", run);
    case "difftool":
      run.note("unknown", "runs the configured tool");
      return shortOption(args, "x", run);
    case "mergetool":
      return run.note("unknown", "runs the configured tool");
    case "grep":
      for (const word of args) {
        if (!/^-[a-zA-Z]*O/.test(word) || word.startsWith("--")) continue;
        runsText(word.slice(word.indexOf("O") + 1) || UNKNOWN, run);
      }
      return;
    case "clone":
    case "fetch":
    case "pull":
    case "ls-remote":
    case "push":
      return remote(verb, args, run);
    case "config":
      return config(args, run);
    case "filter-branch":
      return run.sweep(args);
    case "reset":
      return run.note("dangerous", "git reset drops changes");
    case "clean":
      if (args.some((word) => /^-[a-zA-Z]*f|^--force/.test(word)))
        run.note("dangerous", "git clean deletes files");
      return;
    case "archive":
    case "bundle":
    case "format-patch":
      if (args.some((word) => word.startsWith("-o")) || verb !== "archive")
        run.note("unknown", "git writes a file");
      return;
    case "stash":
      if (args[0] === "drop" || args[0] === "clear")
        run.note("dangerous", "git stash drops changes");
      return;
    case "checkout":
    case "switch":
    case "restore":
      return overwrites(verb, args, run);
    case "branch":
      if (hasLetter(args, "D") || (deletes(args) && forces(args)))
        run.note("dangerous", "git branch deletes what is not merged");
      return;
    case "worktree":
      if (args[0] === "remove" && forces(args)) run.note("dangerous", "git worktree drops changes");
      return;
    case "help":
      if (args.some((word) => /^-[a-z]*[wi]|^--(?:web|info)/.test(word)))
        run.note("unknown", "opens a viewer");
      return;
    default:
  }
}

function remote(verb: string, args: readonly string[], run: Run): void {
  if (verb === "clone") {
    shortOption(args, "u", run);
    if (args.some((word) => word === "-c")) run.note("unknown", "git is given configuration");
  }
  if (verb === "push" && (forces(args) || args.some((word) => /^(?:--mir|--pru|\+)/.test(word)))) {
    run.note("dangerous", "git push overwrites the other side");
  }
  if (verb === "push" && (deletes(args) || args.some((word) => /^:./.test(word))))
    run.note("unknown", "git push deletes on the other side");
}

/** After one of `bBcCo` the rest of the word is a value (`-bfeature`). */
const hasLetter = (args: readonly string[], letter: string): boolean =>
  args.some((word) => /^-[^-bBcCo]*/.exec(word)?.[0].includes(letter) ?? false);

/** `--force`, `--force-with-lease` and what they may be shortened to. */
const forces = (args: readonly string[]): boolean =>
  hasLetter(args, "f") || args.some((word) => /^--fo?r?(?:c|$)/.test(word));

const deletes = (args: readonly string[]): boolean =>
  hasLetter(args, "d") || args.some((word) => word.startsWith("--del"));

/** Paths are overwritten in the working folder; `--staged` alone touches only the index. */
function overwrites(verb: string, args: readonly string[], run: Run): void {
  const drops =
    verb === "restore"
      ? !args.some((word) => /^--st|^-[a-zA-Z]*S/.test(word)) ||
        args.some((word) => /^--w|^-[a-zA-Z]*W/.test(word))
      : forces(args) ||
        args.some((word) => /^(?:--|--dis.*|--pathspec.*|\.{1,2}(?:\/.*)?|:[/(!^].*)$/.test(word));
  if (drops) run.note("dangerous", `git ${verb} drops changes`);
}

function config(args: readonly string[], run: Run): void {
  if (args.some((word) => READS_CONFIG.test(word))) return;
  const operands = args.filter((word) => !word.startsWith("-") && word !== "set");
  if (operands.length === 1 && args.length === 1) return;
  run.note("unknown", "git config writes settings");
  for (const value of operands.slice(1)) runsText(value.replace(/^!/, ""), run);
}

function shortOption(args: readonly string[], letter: string, run: Run): void {
  const options = readOptions(args, { values: letter, flags: "*", mixed: true });
  for (const value of valuesFor(options, letter)) runsText(value, run);
}

function afterWord(args: readonly string[], word: string): readonly string[] {
  return args.slice(args.indexOf(word) + 1).filter((part) => !part.startsWith("--"));
}
