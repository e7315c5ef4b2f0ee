// Owns how words that were given apart are written as one line, for people: as a shell would read them,
// with the quotes that are read most easily. Pure; the same in the page and in a terminal.

/** What a shell reads as it stands. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** What means something to a shell between double quotes. */
const STIRS = /["$`\\!]/;

export function lineOf({ command }: { readonly command: string | readonly string[] }): string {
  return typeof command === "string" ? command : command.map(quoted).join(" ");
}

export function quoted(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const quote = quoteOf(word);
  return quote + insideQuotes(word, quote) + quote;
}

/** Single ones, unless they would have to be ended within the word and double ones need not. */
export function quoteOf(word: string): "'" | '"' {
  return word.includes("'") && !STIRS.test(word) ? '"' : "'";
}

/** As a part of a word stands between its quotes. */
export function insideQuotes(part: string, quote: "'" | '"'): string {
  return quote === '"' ? part : part.replaceAll("'", String.raw`'\''`);
}
