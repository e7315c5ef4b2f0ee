// Owns the format of the table of hard-to-undo calls, and checking whether a call fits a row. A row is
// a line of words: sub-commands in their order, then required options. Pure.

import { withoutUnknown } from "../word-marks.ts";

/**
 * `state rm|mv` is a path of sub-commands, where `*` stands for any letters of a word and `**` for any
 * number of words; `-v|--volumes` must be given somewhere, alone or in a cluster; `--replicas=0` with
 * this value, `--delete*` by its prefix; `!-n` must not be given.
 */
export interface ToolRows {
  /** Options that take the next word. After any other option the next word may be its value. */
  readonly valueOptions?: string;
  /** Options that take no value. */
  readonly flags?: string;
  readonly rows: readonly string[];
  /** An argument that matches all of these patterns is also hard to undo. */
  readonly texts?: readonly RegExp[];
  /** Each line of its standard input is also a call. */
  readonly readsCalls?: boolean;
}

interface Row {
  readonly path: readonly (RegExp | "**")[];
  readonly needs: readonly (readonly string[])[];
  readonly never: readonly string[];
}

const DRY_RUN_OPTIONS: ReadonlySet<string> = new Set(["--help", "--dry-run", "--dryrun"]);
/** A longer call is judged by its first words: sub-commands come early. */
const MAX_WORDS = 64;

const COMPILED = new Map<string, Row>();

function compile(line: string): Row {
  const seen = COMPILED.get(line);
  if (seen !== undefined) return seen;
  const words = line.split(" ").filter(Boolean);
  const verbs = words.filter((word) => !/^!?-/.test(word));
  const row: Row = {
    path: verbs.map((word) => (word === "**" ? "**" : toExpression(word))),
    needs: words.filter((word) => word.startsWith("-")).map((word) => word.split("|")),
    never: words.filter((word) => word.startsWith("!")).flatMap((word) => word.slice(1).split("|")),
  };
  COMPILED.set(line, row);
  return row;
}

function toExpression(word: string): RegExp {
  const body = word.replaceAll(".", "\\.").replaceAll("*", "[^\\s/]*");
  return new RegExp(`^(?:${body})$`, "i");
}

/** Returns the first row that the arguments fit. */
export function findRow(tool: ToolRows, args: readonly string[]): string | undefined {
  const words = args.slice(0, MAX_WORDS).map(withoutUnknown);
  if (isDryRun(words)) return undefined;
  const { texts } = tool;
  if (texts && words.some((word) => texts.every((text) => text.test(word)))) return "texts";
  return tool.rows.find((line) => {
    const { path, needs, never } = compile(line);
    return (
      needs.every((names) => names.some((name) => isGiven(name, words))) &&
      !never.some((name) => isGiven(name, words)) &&
      followsPath(path, words, tool)
    );
  });
}

function isDryRun(words: readonly string[]): boolean {
  if (words[0] === "help") return true;
  return words.some((word) => {
    const [name = "", value = "true"] = word.split("=");
    return DRY_RUN_OPTIONS.has(name) && !/^(?:none|false|0)$/.test(value);
  });
}

/** Whether the option `name` is given: `-v` in a cluster, `--x` alone or with a value, `-X=DELETE` with this one. */
function isGiven(name: string, words: readonly string[]): boolean {
  const [option = "", wanted] = name.split("=");
  return words.some((word, index) => {
    if (option.endsWith("*")) return word.startsWith(option.slice(0, -1));
    const value = findOptionValue(option, word, words[index + 1]);
    if (value === undefined) return false;
    if (wanted === undefined) return !/^(?:false|0|no)$/i.test(value);
    return value.toLowerCase() === wanted.toLowerCase();
  });
}

/** Returns the value that a word gives an option, or ""; undefined if the word is not this option. */
function findOptionValue(
  option: string,
  word: string,
  next: string | undefined,
): string | undefined {
  const isLetter = /^-[^-]$/.test(option);
  if (!isLetter) {
    // Go's tools accept one dash instead of two.
    const bare = word.replace(/^--?(?=[A-Za-z])/, "");
    const name = option.replace(/^--?/, "");
    if (word === bare) return undefined;
    if (bare === name) return next?.startsWith("-") === false ? next : "";
    return bare.startsWith(`${name}=`) ? bare.slice(name.length + 1) : undefined;
  }
  const at = /^-[^-]/.test(word) ? word.indexOf(option[1] ?? "", 1) : -1;
  // A letter after `=` belongs to a value.
  if (at < 0 || word.slice(0, at).includes("=")) return undefined;
  return word.slice(at + 1).replace(/^=/, "") || (next?.startsWith("-") === false ? next : "");
}

/** Whether the words may be this path; where an option may take the next word, both readings count. */
function followsPath(path: Row["path"], words: readonly string[], tool: ToolRows): boolean {
  const takes = tool.valueOptions?.split(" ") ?? [];
  const flags = tool.flags?.split(" ") ?? [];
  const failed = new Set<string>();
  const follows = (step: number, at: number): boolean => {
    const wanted = path[step];
    if (wanted === undefined || (wanted === "**" && step === path.length - 1)) return true;
    const word = words[at];
    if (word === undefined) return false;
    const key = `${step} ${at}`;
    if (failed.has(key)) return false;
    const isFound = tryWord(wanted, word, step, at);
    if (!isFound) failed.add(key);
    return isFound;
  };
  const tryWord = (wanted: RegExp | "**", word: string, step: number, at: number): boolean => {
    // `cargo +nightly publish`
    if (word === "--" || word.startsWith("+")) return follows(step, at + 1);
    if (/^-./.test(word)) {
      if (takes.includes(word)) return follows(step, at + 2);
      if (word.includes("=") || flags.includes(word)) return follows(step, at + 1);
      return follows(step, at + 1) || follows(step, at + 2);
    }
    if (wanted === "**") return follows(step + 1, at) || follows(step, at + 1);
    return wanted.test(word) && follows(step + 1, at + 1);
  };
  return follows(0, 0);
}
