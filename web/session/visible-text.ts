// Owns showing other people's text safely: no character in it can hide, reorder or break its
// surroundings. Pure.

/**
 * Characters that are drawn as nothing, as another character or out of order. A plain space is
 * fine.
 */
export const INVISIBLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Characters with a well-known name or symbol. Few fonts have Unicode's control pictures. */
const VISIBLE_FORMS: Readonly<Record<string, string>> = {
  "\n": "↵",
  "\t": "→",
  "\r": "‹CR›",
  "\u001B": "‹ESC›",
  "\u007F": "‹DEL›",
};

/** Returns a visible form of an invisible character. */
function toVisible(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  return VISIBLE_FORMS[sign] ?? `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** Returns the text with every invisible character made visible. */
export function showInvisible(text: string): string {
  return Array.from(text, (sign) => (INVISIBLE.test(sign) ? toVisible(sign) : sign)).join("");
}

/** Shortens text for a toast or a notification. */
export function shorten(text: string, chars: number): string {
  const all = Array.from(showInvisible(text));
  return all.length <= chars ? all.join("") : `${all.slice(0, chars - 1).join("")}…`;
}
