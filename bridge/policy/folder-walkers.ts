// Owns judging programs that walk whole folders: `grep -r key ~` reads everything below the home.
// Without a folder among the arguments, the working folder counts.

import { getProgramName } from "./program-names.ts";
import type { Run } from "./rule.ts";
import { type OptionShape, readOptions } from "./unwrap/getopt.ts";

const WALKS_FOLDERS: ReadonlySet<string> = new Set(
  "find gfind fd fdfind du gdu rg ag ack rsync tar gtar bsdtar tree mv gmv ln gln zip 7z cpio scp ncdu".split(
    " ",
  ),
);
const RECURSIVE_OPTIONS: Readonly<Record<string, RegExp>> = {
  grep: /^(?:-[a-zA-Z]*[rR]|--(?:dereference-)?rec|-d$|--directories)/,
  cp: /^(?:-[a-zA-Z]*[rRa]|--rec|--arc)/,
  ls: /^(?:-[a-zA-Z1]*R|--rec)/,
  diff: /^(?:-[a-zA-Z]*r|--rec)/,
  // With `--no-index`, git reads any folder.
  git: /^--no-i/,
};
const ALIASES: Readonly<Record<string, string>> = {
  egrep: "grep",
  fgrep: "grep",
  ggrep: "grep",
  zgrep: "grep",
  gcp: "cp",
  gls: "ls",
  dir: "ls",
  vdir: "ls",
  gfind: "find",
  fdfind: "fd",
  gdu: "du",
};

/**
 * Programs that walk the working folder if no folder is given, with the options whose values are not
 * folders.
 */
interface Walker extends OptionShape {
  /** The first operand is a search pattern, unless one of these options gives it. */
  readonly patternUnless?: readonly string[];
}

const SEARCHES = ["e", "f", "regexp", "file", "files", "type-list"];
const WALKERS: Readonly<Record<string, Walker>> = {
  grep: {
    values: "ABCDdefm",
    long: [
      "regexp",
      "file",
      "max-count",
      "label",
      "include",
      "exclude",
      "exclude-dir",
      "exclude-from",
      "context",
      "after-context",
      "before-context",
      "binary-files",
      "devices",
      "directories",
    ],
    patternUnless: SEARCHES,
  },
  rg: {
    values: "efgtTmMABCjdrE",
    long: [
      "regexp",
      "file",
      "glob",
      "iglob",
      "type",
      "type-not",
      "max-count",
      "max-columns",
      "max-depth",
      "max-filesize",
      "context",
      "after-context",
      "before-context",
      "threads",
      "replace",
      "encoding",
      "engine",
      "sort",
      "sortr",
      "ignore-file",
      "pre",
      "pre-glob",
      "color",
      "colors",
      "path-separator",
    ],
    longFlags: ["files", "type-list"],
    patternUnless: SEARCHES,
  },
  ag: { values: "ABCGgmpW", long: ["ignore", "ignore-dir", "depth"], patternUnless: ["g"] },
  ack: { values: "ABCgm", long: ["type", "ignore-dir", "output"], patternUnless: ["f", "g"] },
  fd: {
    values: "tedESxXcjo",
    long: [
      "type",
      "extension",
      "max-depth",
      "min-depth",
      "exact-depth",
      "exclude",
      "size",
      "exec",
      "exec-batch",
      "color",
      "threads",
      "owner",
      "changed-within",
      "changed-before",
    ],
    patternUnless: [],
  },
  find: {},
  du: { values: "dBtX", long: ["max-depth", "block-size", "threshold", "exclude", "exclude-from"] },
  tree: { values: "LPIoHT", long: ["filelimit", "charset", "timefmt", "sort"] },
  ls: { values: "wTI", long: ["ignore", "hide", "width", "tabsize", "block-size"] },
};

export function judgeFolderWalk(argv: readonly string[], run: Run): void {
  const [program = "", ...args] = argv;
  const name = ALIASES[getProgramName(program)] ?? getProgramName(program);
  const isDeep =
    WALKS_FOLDERS.has(name) || args.some((word) => RECURSIVE_OPTIONS[name]?.test(word) ?? false);
  if (!isDeep) return;
  if (foldersIn(name, args).some((folder) => run.own.containsOwn(folder)))
    run.note("dangerous", `${run.callText()} reads a folder that contains pairpty's own folders`);
}

/** Programs that print the contents of the files in a folder; the others print only names. */
const SHOWS_FILES: ReadonlySet<string> = new Set(
  "grep rg ag ack diff git tar gtar bsdtar zip 7z cpio scp rsync cp mv".split(" "),
);

/** Returns the folders whose files the program reads recursively; none for programs that print only names. */
export function walkedFolders(program: string, args: readonly string[]): readonly string[] {
  const name = ALIASES[program] ?? program;
  const isDeep =
    WALKS_FOLDERS.has(name) || args.some((word) => RECURSIVE_OPTIONS[name]?.test(word) ?? false);
  return isDeep && SHOWS_FILES.has(name)
    ? foldersIn(name, args).filter((word) => !word.startsWith("-"))
    : [];
}

/** Options whose value is a file that the program reads. */
const READS_VALUE = /^--(?:from-file|to-file|file|files0-from)=/;

/** Returns the arguments that may be files: without options, and without the pattern of grep or awk. */
export function pathsIn(program: string, args: readonly string[]): readonly string[] {
  const name = ALIASES[program] ?? program;
  const walker = WALKERS[name];
  if (walker?.patternUnless !== undefined) return listOperands(args, walker);
  const words = args.filter((word) => !word.startsWith("-") || READS_VALUE.test(word));
  const search = name === "git" ? words.indexOf("grep") : -1;
  if (search >= 0) return words.slice(search + 2);
  return name === "awk" ? words.slice(1) : words;
}

function foldersIn(name: string, args: readonly string[]): readonly string[] {
  const walker = WALKERS[name];
  if (walker === undefined) return args;
  const folders = name === "find" ? findStartFolders(args) : listOperands(args, walker);
  return folders.length === 0 ? ["."] : folders;
}

/** Returns the starting points of find: its arguments before the first test. */
function findStartFolders(args: readonly string[]): readonly string[] {
  const from = args.findIndex((word) => !/^-(?:[HLP]|O\d|D)$/.test(word));
  const rest = from < 0 ? [] : args.slice(from);
  const end = rest.findIndex((word) => /^(?:-.+|[(!,]|\\[(!])$/.test(word));
  return end < 0 ? rest : rest.slice(0, end);
}

function listOperands(args: readonly string[], walker: Walker): readonly string[] {
  const options = readOptions(args, { ...walker, flags: "*", mixesOperands: true });
  const { patternUnless } = walker;
  if (patternUnless === undefined) return options.operands;
  const isGiven = options.given.some(([option]) => patternUnless.includes(option));
  return isGiven ? options.operands : options.operands.slice(1);
}
