// Owns the formatting of a command's words as one line for people: readable by a shell, with the
// fewest quotes. Pure; shared by the page and the command line.

/** Words that a shell reads without quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Characters that are special to a shell between double quotes. */
const SPECIAL_IN_DOUBLE_QUOTES = /["$`\\!]/;

export function formatCommandLine({
  command,
}: {
  readonly command: string | readonly string[];
}): string {
  return typeof command === "string" ? command : command.map(quoteWord).join(" ");
}

export function quoteWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const quote = chooseQuote(word);
  return quote + escapeInsideQuotes(word, quote) + quote;
}

/** Returns the quote for a word: double only if it has a `'` and needs no escapes then. */
export function chooseQuote(word: string): "'" | '"' {
  return word.includes("'") && !SPECIAL_IN_DOUBLE_QUOTES.test(word) ? '"' : "'";
}

/** Escapes a part of a word for use between the given quotes. */
export function escapeInsideQuotes(part: string, quote: "'" | '"'): string {
  return quote === '"' ? part : part.replaceAll("'", String.raw`'\''`);
}
