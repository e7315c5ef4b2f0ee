// Owns the kinds of pieces in a command line, and which kind the next word has. Pure, and a guess: used
// only for colours.

import { INVISIBLE } from "../session/visible-text.ts";

export type TokenKind =
  | "space"
  | "program"
  /** A sub-command: `reset` of `git reset`. */
  | "verb"
  | "option"
  | "word"
  | "string"
  /** `$NAME`, and `NAME=` before a program. */
  | "variable"
  /** Joins commands, or runs one inside another. */
  | "operator"
  /** A redirect and its file. */
  | "redirect"
  | "comment"
  /** An invisible character. */
  | "unseen";

export interface Token {
  readonly kind: TokenKind;
  /** The original text; all texts together are the line. */
  readonly text: string;
  /** The number of the word that it is part of, operators included; undefined for a blank. */
  readonly word: number | undefined;
}

const VERBS = new Set(
  "apt apt-get brew bun bundle cargo docker gh git go kubectl npm pip pip3 pnpm podman systemctl terraform yarn".split(
    " ",
  ),
);
/** The program follows these. */
const WRAPPERS = new Set("command env exec nice nohup npx sudo time timeout xargs".split(" "));
const KEYWORDS = new Set("! { } do done elif else esac fi if then until while".split(" "));
/** A name follows these, not a program. */
const NAME_FOLLOWS = new Set("case for function select".split(" "));

/** The kind of the next word. */
export type ExpectedWord = "program" | "verb" | "argument" | "target";

export function toTokenKind(
  word: string,
  awaited: ExpectedWord,
): [kind: TokenKind, next: ExpectedWord] {
  if (awaited === "target") return ["redirect", "argument"];
  if (awaited === "program") {
    if (/^[A-Za-z_]\w*\+?=/.test(word)) return ["variable", "program"];
    if (KEYWORDS.has(word)) return ["operator", "program"];
    if (NAME_FOLLOWS.has(word)) return ["operator", "argument"];
    if (word.startsWith("-")) return ["option", "program"];
    const name = word.split("/").at(-1) ?? word;
    if (WRAPPERS.has(name)) return ["program", "program"];
    return ["program", VERBS.has(name) ? "verb" : "argument"];
  }
  if (word.startsWith("-")) return ["option", awaited];
  // The value of an option may come first: `git -C "$DIR" reset`.
  if (awaited === "verb" && /^[a-z][\w:-]*$/.test(word)) return ["verb", "argument"];
  return ["word", awaited];
}

/** Splits off invisible characters as pieces of their own; a blank is visible. */
export function splitInvisible(kind: TokenKind, text: string, word: number | undefined): Token[] {
  const pieces = text.split(new RegExp(`((?:${INVISIBLE.source})+)`, "u")).filter(Boolean);
  return pieces.map((piece) => ({
    kind: INVISIBLE.test(piece) ? "unseen" : kind,
    text: piece,
    word,
  }));
}
