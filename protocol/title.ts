// Owns what is left of a name that a program, a folder or a person gave: text on one line, that
// turns nothing around. Pure.

const MOST_CHARS = 60;

/** Control characters, and those that turn the direction of what follows. */
const UNWELCOME = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Of a length that a tab has room for. */
export function plainTitle(title: string): string {
  const text = onOneLine(title);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(/.$/su, "")}…` : text;
}

/** Whole, for where there is room. */
export function onOneLine(text: string): string {
  return text.replace(UNWELCOME, " ").replace(/\s+/g, " ").trim();
}
