// Owns what a piece of a command line is, and what the next word will be. Pure, and a guess: it colours.

import { UNSEEN } from "../session/lines.ts";

export type TokenKind =
  | "space"
  | "program"
  /** Of a program that has several: `reset` of `git reset`. */
  | "verb"
  | "option"
  | "word"
  | "string"
  /** `$NAME`, and `NAME=` before a program. */
  | "variable"
  /** What joins commands, and what runs one inside another. */
  | "operator"
  /** A redirect, and the file behind it. */
  | "redirect"
  | "comment"
  /** What would not be seen. */
  | "unseen";

export interface Token {
  readonly kind: TokenKind;
  /** As it was given: all texts together are the line. */
  readonly text: string;
  /** Which word of the line it is a part of, counted with its operators; a blank is of none. */
  readonly word: number | undefined;
}

const VERBS = new Set(
  "apt apt-get brew bun bundle cargo docker gh git go kubectl npm pip pip3 pnpm podman systemctl terraform yarn".split(
    " ",
  ),
);
/** The program is behind them. */
const WRAPPERS = new Set("command env exec nice nohup npx sudo time timeout xargs".split(" "));
const KEYWORDS = new Set("! { } do done elif else esac fi if then until while".split(" "));
/** Names follow them, not programs. */
const NAMING = new Set("case for function select".split(" "));

/** What the next word is. */
export type Awaited = "program" | "verb" | "argument" | "target";

export function roleOf(word: string, awaited: Awaited): [kind: TokenKind, next: Awaited] {
  if (awaited === "target") return ["redirect", "argument"];
  if (awaited === "program") {
    if (/^[A-Za-z_]\w*\+?=/.test(word)) return ["variable", "program"];
    if (KEYWORDS.has(word)) return ["operator", "program"];
    if (NAMING.has(word)) return ["operator", "argument"];
    if (word.startsWith("-")) return ["option", "program"];
    const name = word.split("/").at(-1) ?? word;
    if (WRAPPERS.has(name)) return ["program", "program"];
    return ["program", VERBS.has(name) ? "verb" : "argument"];
  }
  if (word.startsWith("-")) return ["option", awaited];
  // In front of it stands what an option takes: `git -C "$DIR" reset`.
  if (awaited === "verb" && /^[a-z][\w:-]*$/.test(word)) return ["verb", "argument"];
  return ["word", awaited];
}

/** What would not be seen is a piece of its own; a blank is seen. */
export function apart(kind: TokenKind, text: string, word: number | undefined): Token[] {
  const pieces = text.split(new RegExp(`((?:${UNSEEN.source})+)`, "u")).filter(Boolean);
  return pieces.map((piece) => ({ kind: UNSEEN.test(piece) ? "unseen" : kind, text: piece, word }));
}
