// Owns what a program means by a command and its arguments: a program with words, or a line that a
// shell reads. Pure.

import type { SpawnWish } from "../terminals/plan.ts";

export type CommandText =
  | { readonly kind: "words"; readonly words: readonly [string, ...string[]] }
  | { readonly kind: "line"; readonly line: string };

/** No blank, quote, variable, glob or operator: every shell reads it as one name. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** One plain word without arguments is a program; anything else without arguments is a line. */
export function commandText(command: string, args: readonly string[]): CommandText {
  if (args.length > 0 || PLAIN_WORD.test(command))
    return { kind: "words", words: [command, ...args] };
  return { kind: "line", line: command };
}

/** As a plan takes it. */
export function wishOf(text: CommandText): Pick<SpawnWish, "command" | "line"> {
  return text.kind === "words" ? { command: text.words } : { line: text.line };
}

export function isEmpty(text: CommandText): boolean {
  return (text.kind === "line" ? text.line : text.words[0]).trim() === "";
}

/** For people, and for a shell: one line that means the same. */
export function lineOf(text: CommandText): string {
  return text.kind === "line" ? text.line : text.words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
