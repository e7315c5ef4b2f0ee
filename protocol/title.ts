// Owns what is left of a name that a program, a folder or a person gave: text on one line, that
// turns nothing around. Pure.

const MOST_CHARS = 60;

/** Of a name that a person gives: what a tab has room for. */
export const MAX_TITLE_CHARS = MOST_CHARS;

/** Control characters, and those that turn the direction of what follows. */
const UNWELCOME = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Drawn as nothing, or only on what stands before it. One that Unicode names later may be drawn. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether anything of a text shows. */
export function isSeen(text: string): boolean {
  return text.replace(UNSEEN, "") !== "";
}

/** Why a person's name for something is none; undefined where it is one. "" takes a name back. */
export function whyNotTitle(name: string): string | undefined {
  if (name !== onOneLine(name))
    return "A name is one line of text, without control characters, characters that reverse text, or spaces around it";
  if (/\p{Cs}/u.test(name))
    return "A name has only whole characters; this one contains half of a surrogate pair";
  if (name !== "" && !isSeen(name)) return "A name needs at least one visible character";
  if (name.length > MOST_CHARS) return `A name has at most ${MOST_CHARS} characters`;
  return undefined;
}

/** Of a length that a tab has room for. */
export function plainTitle(title: string): string {
  const text = onOneLine(title);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(/.$/su, "")}…` : text;
}

/** Whole, for where there is room. */
export function onOneLine(text: string): string {
  return text.replace(UNWELCOME, " ").replace(/\s+/g, " ").trim();
}
