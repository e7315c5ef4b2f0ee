// Owns the cleaning of names that come from programs, folders or people: one line of text, without
// bidi control characters. Pure.

const MAX_CHARS = 60;

/** Longest name that a person may give: what fits in a tab. */
export const MAX_TITLE_CHARS = MAX_CHARS;

/** Control characters, and those that change the direction of the following text. */
const UNSAFE = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Characters drawn as nothing, or only on the preceding one. Code points unassigned today may
 * become visible later.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text has anything visible. */
export function isVisible(text: string): boolean {
  return text.replace(INVISIBLE, "") !== "";
}

/** Returns why a person's name is invalid, or undefined if it is valid. "" removes a name. */
export function getTitleError(name: string): string | undefined {
  if (name !== toOneLine(name))
    return "A name is one line of text, without control characters, characters that reverse text, or spaces around it";
  if (/\p{Cs}/u.test(name))
    return "A name has only whole characters; this one contains half of a surrogate pair";
  if (name !== "" && !isVisible(name)) return "A name needs at least one visible character";
  if (name.length > MAX_CHARS) return `A name has at most ${MAX_CHARS} characters`;
  return undefined;
}

/** Returns the title on one line, cut to the room in a tab. */
export function cleanTitle(title: string): string {
  const text = toOneLine(title);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).replace(/.$/su, "")}…` : text;
}

/** Returns the whole text on one line. */
export function toOneLine(text: string): string {
  return text.replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
}
