// Owns the formatting of a command's words as one line for people: readable by a shell, with the
// fewest quotes. Pure; shared by the page and the command line.

/** Words that a shell reads without quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Characters that are special to a shell between double quotes. */
const STIRS = /["$`\\!]/;

export function lineOf({ command }: { readonly command: string | readonly string[] }): string {
  return typeof command === "string" ? command : command.map(quoted).join(" ");
}

export function quoted(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const quote = quoteOf(word);
  return quote + insideQuotes(word, quote) + quote;
}

/** Returns the quote for a word: double only if it has a `'` and needs no escapes then. */
export function quoteOf(word: string): "'" | '"' {
  return word.includes("'") && !STIRS.test(word) ? '"' : "'";
}

/** Escapes a part of a word for use between the given quotes. */
export function insideQuotes(part: string, quote: "'" | '"'): string {
  return quote === '"' ? part : part.replaceAll("'", String.raw`'\''`);
}
