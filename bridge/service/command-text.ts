// Owns interpreting a command with arguments: separate words for a program, or a line for a shell.
// Pure.

import type { SpawnRequest } from "../terminals/spawn-plan.ts";

export type CommandText =
  | { readonly kind: "words"; readonly words: readonly [string, ...string[]] }
  | { readonly kind: "line"; readonly line: string };

/** No blank, quote, variable, glob or operator: every shell reads it as one name. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** Interprets a command. Without arguments, one plain word is a program, else it is a line. */
export function parseCommandText(command: string, args: readonly string[]): CommandText {
  if (args.length > 0 || PLAIN_WORD.test(command))
    return { kind: "words", words: [command, ...args] };
  return { kind: "line", line: command };
}

/** Returns the command as fields of a spawn request. */
export function toSpawnFields(text: CommandText): Pick<SpawnRequest, "command" | "line"> {
  return text.kind === "words" ? { command: text.words } : { line: text.line };
}

export function isEmpty(text: CommandText): boolean {
  return (text.kind === "line" ? text.line : text.words[0]).trim() === "";
}

/** Formats the command as one shell line, also for people. */
export function formatLine(text: CommandText): string {
  return text.kind === "line" ? text.line : text.words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
