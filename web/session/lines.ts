// Owns how text of others is shown to people: nothing in it hides, moves or breaks what stands beside
// it. Pure.

/** Drawn as nothing, as another character or out of order. A plain blank is seen. */
export const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Those that have a name or a sign that everybody knows. Unicode's pictures are in few fonts. */
const NAMES: Readonly<Record<string, string>> = {
  "\n": "↵",
  "\t": "→",
  "\r": "‹CR›",
  "\u001B": "‹ESC›",
  "\u007F": "‹DEL›",
};

/** One of them, so that it is seen. */
function pictureOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  return NAMES[sign] ?? `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** The same text with every such character drawn. */
export function seen(text: string): string {
  return Array.from(text, (sign) => (UNSEEN.test(sign) ? pictureOf(sign) : sign)).join("");
}

/** For a toast or a notification. */
export function short(text: string, chars: number): string {
  const all = Array.from(seen(text));
  return all.length <= chars ? all.join("") : `${all.slice(0, chars - 1).join("")}…`;
}
