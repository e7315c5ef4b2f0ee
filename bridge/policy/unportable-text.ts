// Owns finding text that shells read differently, in one pass each: a regular expression that restarts
// at every quote or here-document takes minutes for 64 KiB of them, and blocks the bridge meanwhile.

import type { Comment } from "./portable-reader.ts";

/** Whether a `'` stands in an open `${…` after a `"`. */
export function hasQuoteInBraces(text: string): boolean {
  const from = text.indexOf('"');
  if (from < 0) return false;
  let isOpen = false;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "}") isOpen = false;
    else if (char === "'" && isOpen) return true;
    else if (char === "{" && text[at - 1] === "$" && at - 1 > from) isOpen = true;
  }
  return false;
}

/** Whether the word that names the end of a here-document (`<<`, `<<-`) contains `$'` or `$"`. */
export function hasUnportableDelimiter(text: string): boolean {
  let before = "";
  for (const [word] of text.matchAll(/\S+/g)) {
    const quote = Math.max(word.lastIndexOf("$'"), word.lastIndexOf('$"'));
    const opener = word.indexOf("<<");
    const isOwn = opener >= 0 && opener + 2 <= quote;
    const isNext = quote >= 0 && (before.endsWith("<<") || before.endsWith("<<-"));
    if (isOwn || isNext) return true;
    before = word;
  }
  return false;
}

/** Returns the text as a shell without comments reads it: `#` is a program or an argument. */
export function readCommentsAsWords(text: string, comments: readonly Comment[]): string {
  let reading = "";
  let from = 0;
  for (const { at, end, isCommand } of comments) {
    const words = text.slice(at + 1, end).replaceAll(/([\s;&|()])#/g, "$1\\#");
    // No program is called `#`, so `echo` stands for it.
    reading += `${text.slice(from, at)}${isCommand ? "echo " : ""}\\#${words}`;
    from = end;
  }
  return reading + text.slice(from);
}
