// Owns which sequences ask the terminal something, and which of them get an answer here.
// Pure. What the answer is, the bridge's screen knows.

import type { Sequence } from "./sequence.ts";

/** Colours: a palette entry, the text, the background, the cursor. */
const ANSWERED_COLOR = /^(?:4;(?:.*;)?\?|1[012];(?:.*;)?\?)(?:;|$)/;
/** Also those that real terminals answer and we do not, the clipboard among them. */
const ANY_QUESTION = /^(?:[45]|1\d|52|60|61|21);(?:.*;)?\?(?:;|$)/;

/** Window reports: state, place, sizes, title. */
const WINDOW_REPORTS = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);

/** What the screen has an answer to. A terminal that asks for more gets none, as from any xterm. */
export function isAnswered(sequence: Sequence): boolean {
  const { kind, prefix, intermediates, final, params, text, isWhole } = sequence;
  const first = params[0] ?? 0;
  if (kind === "osc") return isWhole && ANSWERED_COLOR.test(text);
  if (kind === "dcs") return isWhole && intermediates === "$" && final === "q";
  if (kind !== "csi") return false;
  if (intermediates === "$") return final === "p" && (prefix === "" || prefix === "?");
  if (intermediates !== "") return false;
  switch (final) {
    case "c":
      return prefix !== "?" && prefix !== "<" && first === 0;
    case "n":
      return (prefix === "" && (first === 5 || first === 6)) || (prefix === "?" && first === 6);
    case "q":
      return prefix === ">" && first === 0;
    case "t":
      return prefix === "" && first === 18;
    default:
      return false;
  }
}

/** Would some terminal answer this? */
export function isQuery(sequence: Sequence): boolean {
  const { kind, prefix, intermediates, final, params, text } = sequence;
  if (isAnswered(sequence)) return true;
  if (kind === "osc") return ANY_QUESTION.test(text);
  if (kind === "dcs") return final === "q" && (intermediates === "$" || intermediates === "+");
  if (kind === "esc") return intermediates === "" && final === "Z";
  if (kind !== "csi") return false;
  switch (intermediates + final) {
    case "c":
      return prefix !== "?";
    case "n":
      return prefix === "" || prefix === "?";
    case "t":
      return prefix === "" && WINDOW_REPORTS.has(params[0] ?? 0);
    case "u":
    case "m":
    case "S":
      return prefix === "?";
    case "x":
      return prefix === "" && (params[0] ?? 0) <= 1;
    case "$w":
    case "*y":
    case "&u":
      return prefix === "";
    default:
      return false;
  }
}

/** The question once more, as a terminal reads it. */
export function questionText(sequence: Sequence): string {
  const { kind, prefix, intermediates, final, params, text } = sequence;
  if (kind === "osc") return `\x1b]${text}\x1b\\`;
  if (kind === "dcs") return `\x1bP${prefix}${intermediates}${final}${text}\x1b\\`;
  return `\x1b[${prefix}${params.join(";")}${intermediates}${final}`;
}
