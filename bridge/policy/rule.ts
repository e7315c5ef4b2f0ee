// Owns the interface by which rules (unwrap/) look at one command and report findings. Implemented
// by inspection.ts. Also owns how a reason names the command that it is about: `git reset --hard`.
// Leaves operands and values out: they may be long, and they may be secrets.

import type { CommandLists } from "./command-lists.ts";
import type { OwnFolders } from "./own-folders.ts";
import type { Scope } from "./parameter-expansion.ts";
import { getProgramName } from "./program-names.ts";
import type { FindingOptions, Verdict } from "./verdict.ts";
import { toReadable } from "./word-marks.ts";

/** Program and sub-command default to those of the judged command. */
export type NoteOptions = Omit<FindingOptions, "call">;

export interface Run {
  /** Another program's output is this command's standard input. */
  readonly isPiped: boolean;
  /** Texts given inline as standard input: here-documents and here-strings. */
  readonly stdin: readonly string[];
  /** Texts that this script prints (`echo`), which a program behind a pipe may run. */
  readonly printed: readonly string[];
  /** False inside `asPossible()`: the command only might run. */
  readonly isCertain: boolean;
  /** Whether an interactive shell reads the line: it has a history, and it may be fish. */
  readonly isTyped: boolean;
  readonly scope: Scope;
  readonly own: OwnFolders;
  readonly cwd: string | undefined;
  readonly lists: CommandLists;
  /**
   * Returns the command that is judged as reasons name it: in backticks, with so many sub-commands and
   * its options, without operands. "this line" where shell text is judged.
   */
  callText(subCommands?: number): string;
  /** Adds a finding about the command that is judged; `why` is in the words of that command. */
  note(verdict: Verdict, why: string, options?: NoteOptions): void;
  /** Adds a kind without a reason: a call without this kind counts as different. */
  noteKind(kind: string): void;
  /** Adds a finding about pairpty itself: blocked, and refused without a question. */
  noteOwn(why: string): void;
  /** Adds a finding about a blocked name in text that cannot be parsed. */
  noteBlockedWord(word: string, why: string): void;
  /** Remembers a text that the script prints. */
  rememberPrinted(text: string): void;
  /** Adds a finding for each of the user's own patterns that matches the text. */
  notePatterns(text: string): void;
  /** Judges a command that this one runs, on the same standard input. */
  judgeArgv(argv: readonly string[]): void;
  /** Judges text that a shell will read, with `$0 $1 …` if given. */
  judgeShellText(text: string, positional?: readonly string[]): void;
  /** Judges code of another language: `unknown` at best, `blocked` if it contains a blocked name. */
  judgeCode(text: string): void;
  /** Judges arguments of unknown syntax: every position where a command could start. */
  judgeEveryStart(args: readonly string[]): void;
  /**
   * Returns a run for commands that only might run: it adds only `dangerous` and `blocked`
   * findings, and no level.
   */
  asPossible(): Run;
  /** Returns this run with another standard input. */
  withStdin(piped: boolean, stdin: readonly string[]): Run;
}

/** Judges the arguments of one program. `word` is the name by which it was called. */
export type Rule = (args: readonly string[], run: Run, word: string) => void;

export type RuleTable = ReadonlyMap<string, Rule>;

/** Registers one rule under several names. */
export function registerRule(names: string, rule: Rule): [string, Rule][] {
  return names.split(" ").map((name) => [name, rule]);
}

/** A person recognises a command by its first options. */
const MAX_OPTIONS = 2;
const MAX_CHARACTERS = 40;

/**
 * Up to four short options in one word, or a long option; text after `=` is left out, since it may
 * be a value.
 */
const OPTION = /^(?:-[A-Za-z]{1,4}$|--[a-z][\w-]*)/i;
const SUB_COMMAND = /^[\w:.-]+$/;

/** Programs that run the command after them: what follows their first operand is that command's. */
const RUNS_REST =
  /^(?:sudo(?:-rs)?|sudorun|doas|su-exec|gosu|pkexec|run0|runuser|dzdo|pfexec|env|xargs|nohup|nice|timeout|time|command|exec|chroot|ssh)$/;

/** Returns the program, its first `subCommands` words and its options, in backticks. */
export function formatCall(argv: readonly string[], subCommands = 0): string {
  const [program = "", ...args] = argv;
  const name = getProgramName(program);
  const words = [name];
  let options = 0;
  let left = subCommands;
  for (const word of args) {
    if (word === "--" || (RUNS_REST.test(name) && !word.startsWith("-"))) break;
    const option = OPTION.exec(word)?.[0];
    if (option !== undefined && options < MAX_OPTIONS) {
      options += 1;
      words.push(option);
    } else if (left > 0 && !word.startsWith("-")) {
      left = SUB_COMMAND.test(word) ? left - 1 : 0;
      if (SUB_COMMAND.test(word)) words.push(word);
    }
  }
  return formatCode(words.join(" "));
}

/** Returns a text in backticks, on one line and short enough for a reason. */
export function formatCode(text: string): string {
  const line = toReadable(text).replaceAll("`", "'").replaceAll(/\s+/g, " ");
  const letters = Array.from(line);
  if (letters.length <= MAX_CHARACTERS) return `\`${line}\``;
  return `\`${letters.slice(0, MAX_CHARACTERS - 1).join("")}…\``;
}
