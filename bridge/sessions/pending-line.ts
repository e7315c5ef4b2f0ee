// Owns the pending line of a terminal as the bridge knows it: text that was typed but not
// submitted, and the lines that a call submits. Pure. The line is known only while agents typed
// nothing but plain characters at a shell's prompt, in the same foreground process group. Otherwise
// it is unknown, and the shell may read any suffix of what was typed.
//
// Decides nothing about safety; agents/typing-gate.ts judges the lines.

import { toUnknown, LineEditor, RUN_AND_NEXT } from "./line-editor.ts";
import type { KeyInput } from "./named-keys.ts";
import type { InputReader } from "./shell-programs.ts";

export type PendingLine = KnownLine | UnknownLine;

export interface KnownLine {
  readonly kind: "known";
  /** Plain characters, typed at the prompt of `group`; an empty line is valid for every group. */
  readonly text: string;
  readonly group: number | undefined;
  /** Number of inputs the terminal had got: any other input changes it. */
  readonly generation: number;
}

export interface UnknownLine {
  readonly kind: "unknown";
  /** Everything that agents typed and programs may not have read yet, including newlines. */
  readonly typed: string;
  /** The same line for display, with the names of keys, which may edit it. */
  readonly shown: string;
  /** Other callers, or an earlier bridge, may have typed text that is not in `typed`. */
  readonly hasForeignText: boolean;
  /**
   * Whether Enter ends the line. False in a mode (search, completion, a literal key) that may
   * consume it.
   */
  readonly isEnterSure: boolean;
  readonly generation: number;
}

/** State of the terminal right before keys are typed. */
export interface LineContext {
  readonly reader: InputReader;
  readonly group: number | undefined;
  readonly generation: number;
}

/** A line that the keys submit, without its newline. */
export type SentLine =
  /** The shell at its prompt reads exactly this. */
  | { readonly kind: "known"; readonly text: string }
  /** A shell may read this, any suffix of it, or more. */
  | { readonly kind: "unknown"; readonly typed: string; readonly why: UnknownReason };

/** Why it is unknown what a shell would read. */
export type UnknownReason =
  /** Keys edited the line, or earlier text may still be in it. */
  | "edited"
  /** Another caller or an earlier bridge typed. */
  | "foreign"
  /** The shell may still run a program that reads the terminal. */
  | "ahead"
  /** Another program or a hidden shell reads the terminal. */
  | "reader";

export interface TypedResult {
  readonly sent: readonly SentLine[];
  /** More lines were submitted than are listed. */
  readonly isCut: boolean;
  /** The text of the submitted lines, as typed. */
  readonly text: string;
  /** The same line for display, with the names of keys. */
  readonly shown: string;
  /** The keys after a line that may start a program, which may read them. */
  readonly ahead: readonly KeyInput[];
  /** The line after the keys; with the generation of the context. */
  readonly next: PendingLine;
}

/** Decides by a shell's grammar what an Enter leaves open (policy/command-form.ts). */
export interface LineGrammar {
  /** Whether a shell at its prompt runs this line immediately. */
  readonly isSurelyComplete: (line: string) => boolean;
  /** Whether the same is true for every suffix of the line. */
  readonly leavesNothingOpen: (line: string) => boolean;
}

/** Returns the initial line of a terminal that the bridge has not typed into yet. */
export function getInitialLine(generation: number): PendingLine {
  // A terminal that this bridge started and that got no input has no pending text.
  if (generation === 0) return { kind: "known", text: "", group: undefined, generation };
  return {
    kind: "unknown",
    typed: "",
    shown: "",
    hasForeignText: true,
    isEnterSure: false,
    generation,
  };
}

/** Returns the line for this context: known only for the same group and generation. */
export function resolvePendingLine(
  line: PendingLine,
  { group, generation }: LineContext,
): PendingLine {
  if (line.generation !== generation) {
    return { ...toUnknown(line), hasForeignText: true, isEnterSure: false, generation };
  }
  if (line.kind === "unknown" || line.text === "" || line.group === group) return line;
  return toUnknown(line);
}

/** Returns the lines that the keys submit, and the pending line after them. */
export function typeKeys(
  before: PendingLine,
  typed: readonly KeyInput[],
  context: LineContext,
  grammar: LineGrammar,
): TypedResult {
  const editor = new LineEditor(resolvePendingLine(before, context), context, grammar);
  for (const one of typed) {
    if (one.kind === "text") for (const char of one.text) editor.press(char);
    else editor.pressKey(one.name, one.bytes);
  }
  const { sent, isCut, text, shown, ahead, line: next } = editor;
  return { sent, isCut, text, shown, ahead, next };
}

/** Whether these keys contain one that ends a line. */
export function endsLine(keys: string): boolean {
  return keys.includes(RUN_AND_NEXT) || /[\r\n]/.test(keys);
}
