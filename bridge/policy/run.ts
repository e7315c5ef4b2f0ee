// Owns the interface by which rules (unwrap/) look at one command and report findings. Implemented by
// inspection.ts.

import type { CommandLists } from "./lists.ts";
import type { OwnFolders } from "./own.ts";
import type { Scope } from "./scope.ts";
import type { FindingOptions, Verdict } from "./verdict.ts";

/** Program and sub-command default to those of the command that is judged. */
export type NoteOptions = Omit<FindingOptions, "call">;

export interface Run {
  /** Another program's output is this command's standard input. */
  readonly piped: boolean;
  /** Texts given inline as standard input: here-documents and here-strings. */
  readonly stdin: readonly string[];
  /** Texts that this script prints (`echo`), which a program behind a pipe may run. */
  readonly printed: readonly string[];
  /** False inside `aside()`: the command only might run. */
  readonly certain: boolean;
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
  /** Adds a kind without a reason: calls without it count as different. */
  mark(kind: string): void;
  /** Adds a finding about pairpty itself: blocked, and refused without a question. */
  ours(why: string): void;
  /** Adds a finding about a blocked name in text that cannot be parsed. */
  word(word: string, why: string): void;
  /** Remembers a text that the script prints. */
  prints(text: string): void;
  /** Adds a finding for each of the user's own patterns that matches the text. */
  match(text: string): void;
  /** Judges a command that this one runs, on the same standard input. */
  argv(argv: readonly string[]): void;
  /** Judges text that a shell will read, with `$0 $1 …` if given. */
  shell(text: string, positional?: readonly string[]): void;
  /** Judges code of another language: `unknown` at best, `blocked` if it contains a blocked name. */
  code(text: string): void;
  /** Judges arguments of unknown syntax: every position where a command could start. */
  sweep(args: readonly string[]): void;
  /** Returns a run for what only might run: it adds only `dangerous` and `blocked` findings, and no level. */
  aside(): Run;
  /** Returns this run with another standard input. */
  fed(piped: boolean, stdin: readonly string[]): Run;
}

/** Judges the arguments of one program. `word` is the name by which it was called. */
export type Rule = (args: readonly string[], run: Run, word: string) => void;

export type RuleTable = ReadonlyMap<string, Rule>;

/** Registers one rule under several names. */
export function named(names: string, rule: Rule): [string, Rule][] {
  return names.split(" ").map((name) => [name, rule]);
}
