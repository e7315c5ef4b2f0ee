// Owns how what an agent wants to run is written for people: words joined as a shell would read them,
// and nothing in it that hides, moves or breaks what stands beside it. Pure.

import type { Approval } from "../../protocol/approval.ts";

/** What a shell reads as it stands. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

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

export function lineOf({ command }: Pick<Approval, "command">): string {
  return typeof command === "string" ? command : command.map(quoted).join(" ");
}

export function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${insideQuotes(word)}'`;
}

/** As it stands between single quotes, which it would end. */
export function insideQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

/** For a toast or a notification. */
export function short(text: string, chars: number): string {
  const all = Array.from(seen(text));
  return all.length <= chars ? all.join("") : `${all.slice(0, chars - 1).join("")}…`;
}
