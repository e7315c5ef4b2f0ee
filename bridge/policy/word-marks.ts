// Owns the marks that stand in a resolved word for parts that the policy cannot know, and what such
// a word could still be. A word is a plain string; these four private-use characters never come
// from a request (`replaceMarks`). Does not resolve words (word-expansion.ts).

/** A value known only at run time. Compared as if empty: `r${x}m` is `rm` while x is unset. */
export const UNKNOWN_VALUE = "\uE000";
/** `?` or a bracket expression: any one character. */
export const ANY_CHAR = "\uE001";
/** `*` or an extended glob: any text. */
export const ANY_TEXT = "\uE002";
/** The output of another program: a process substitution, or the input of xargs. */
export const PROGRAM_OUTPUT = "\uE003";

const MARKS = /[\uE000-\uE003]/gu;
const ANY_MARK = /[\uE000-\uE003]/u;

export function replaceMarks(text: string): string {
  return ANY_MARK.test(text) ? text.replaceAll(MARKS, "\uFFFD") : text;
}

export function isMarked(word: string): boolean {
  return ANY_MARK.test(word);
}

export function isGlob(word: string): boolean {
  return word.includes(ANY_CHAR) || word.includes(ANY_TEXT);
}

/** True if nothing at all is known about the word; unquoted it may even vanish. */
export function isWhollyUnknown(word: string): boolean {
  return word.length > 0 && word.replaceAll(UNKNOWN_VALUE, "") === "";
}

export function withoutUnknown(word: string): string {
  if (!ANY_MARK.test(word)) return word;
  return word.replaceAll(UNKNOWN_VALUE, "").replaceAll(PROGRAM_OUTPUT, "");
}

/** Returns a marked word as people read it in a reason. */
export function toReadable(word: string): string {
  return word
    .replaceAll(UNKNOWN_VALUE, "…")
    .replaceAll(PROGRAM_OUTPUT, "<…>")
    .replaceAll(ANY_CHAR, "?")
    .replaceAll(ANY_TEXT, "*");
}

/** Whether the pattern could stand for exactly this text. Two pointers, no recursion: linear in practice. */
export function couldMatch(marked: string, text: string): boolean {
  const pattern = withoutUnknown(marked);
  let at = 0;
  let star = -1;
  let retry = 0;
  let index = 0;
  while (index < text.length) {
    const sign = pattern[at];
    if (sign === ANY_TEXT) {
      star = at++;
      retry = index;
    } else if (sign !== undefined && (sign === ANY_CHAR || sign === text[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++retry;
    } else {
      return false;
    }
  }
  while (pattern[at] === ANY_TEXT) at++;
  return at === pattern.length;
}
