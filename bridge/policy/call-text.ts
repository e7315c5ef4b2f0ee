// Owns how a reason names the command that it is about: `git reset --hard`. Leaves operands and values
// out: they may be long, and they may be secrets.

import { toReadable } from "./word-marks.ts";
import { getProgramName } from "./program-names.ts";

/** A person recognises a command by its first options. */
const MAX_OPTIONS = 2;
const MAX_CHARACTERS = 40;

/**
 * Up to four short options in one word, or a long option; text after `=` is left out, since it may
 * be a value.
 */
const OPTION = /^(?:-[A-Za-z]{1,4}$|--[a-z][\w-]*)/i;
const SUB_COMMAND = /^[\w:.-]+$/;

/** Returns the program, its first `subCommands` words and its options, in backticks. */
export function formatCall(argv: readonly string[], subCommands = 0): string {
  const [program = "", ...args] = argv;
  const words = [getProgramName(program)];
  let options = 0;
  let left = subCommands;
  for (const word of args) {
    if (word === "--") break;
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
