// Owns whether a shell runs a line at Enter, or waits for more of it because of an open quote, a
// here-document or a loop. Pure. In doubt a line counts as incomplete.

import { parse } from "unbash";

/** A longer line counts as incomplete: the parser takes too long for some of them. */
const MAX_CHARS = 4_096;

/** Characters that open something in at least one shell. */
const OPENERS = /['"\\`(){}[\]<]/;
/** Words that open a block in at least one shell, wherever they stand. */
const BLOCK_WORDS =
  /(?:^|[\s;&|])(?:if|then|elif|else|for|foreach|while|until|case|select|switch|do|function|begin|repeat|time|coproc|always)(?=$|[\s;&|])/;
/** A line that ends in `|`, `&&` or `||` continues on the next one; `!` and `^` are history. */
const WAITING_END = /(?:\||&&)\s*$/;

/** Whether neither the line nor any tail of it leaves something open, in any shell. */
export function leavesNothingOpen(line: string): boolean {
  return !OPENERS.test(line) && !BLOCK_WORDS.test(line) && !WAITING_END.test(line);
}

/** Whether a shell that reads the whole line at its prompt runs it immediately. */
export function isSurelyComplete(line: string): boolean {
  if (leavesNothingOpen(line)) return true;
  if (line.length > MAX_CHARS || /[`\n]|<<|\$['"]|\\$/.test(line)) return false;
  if (!hasBalancedQuotes(line) || WAITING_END.test(line)) return false;
  try {
    const { errors = [] } = parse(line);
    // Interactive zsh has no comments by default: it also reads the text after `#`.
    return errors.length === 0 && (!line.includes("#") || !OPENERS.test(afterHash(line)));
  } catch {
    return false;
  }
}

function afterHash(line: string): string {
  return line.slice(line.indexOf("#"));
}

function hasBalancedQuotes(line: string): boolean {
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? "";
    if (char === "\\" && quote !== "'") at += 1;
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
  }
  return quote === "";
}
