// Owns the words that rules (unwrap/) use to report on one command: what they may ask and note.
// The inspection (inspection.ts) answers them.

import type { CommandLists } from "./lists.ts";
import type { OwnFolders } from "./own.ts";
import type { Scope } from "./scope.ts";
import type { FindingOptions, Verdict } from "./verdict.ts";

/** Program and sub-command are those of the command that is judged, unless a program is named. */
export type NoteOptions = Omit<FindingOptions, "call">;

export interface Run {
  /** Another program's output is this command's standard input. */
  readonly piped: boolean;
  /** Texts given inline as standard input: here-documents and here-strings. */
  readonly stdin: readonly string[];
  /** Texts that this script prints (`echo`), which a program behind a pipe may run. */
  readonly printed: readonly string[];
  /** False for what only might run (`aside`). */
  readonly certain: boolean;
  /** An interactive shell reads the line: it has a history, and it may be fish. */
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
  /** Adds to what the judgement is about, without a reason of its own: no other call is alike. */
  mark(kind: string): void;
  /** It is about pairpty itself: blocked, and nobody is asked. */
  ours(why: string): void;
  /** A blocked name in text that is not understood. */
  word(word: string, why: string): void;
  /** Keeps a text that the script prints. */
  prints(text: string): void;
  /** Notes which of the user's own expressions find something in this text. */
  match(text: string): void;
  /** Judges a command that this one runs, on the same standard input. */
  argv(argv: readonly string[]): void;
  /** Judges text that a shell will read, with `$0 $1 …` if given. */
  shell(text: string, positional?: readonly string[]): void;
  /** Judges a program in another language: at best unknown, blocked by a blocked word. */
  code(text: string): void;
  /** For arguments whose syntax is not known here: judges every place a command could start. */
  sweep(args: readonly string[]): void;
  /**
   * The same run for what only *might* run, or runs elsewhere: notes nothing milder than `dangerous`
   * and leaves the level alone.
   */
  aside(): Run;
  /** The same run with another standard input. */
  fed(piped: boolean, stdin: readonly string[]): Run;
}

/** Looks at the arguments of one program. `word` is how the program was called. */
export type Rule = (args: readonly string[], run: Run, word: string) => void;

export type RuleTable = ReadonlyMap<string, Rule>;

/** One rule under several names. */
export function named(names: string, rule: Rule): [string, Rule][] {
  return names.split(" ").map((name) => [name, rule]);
}
