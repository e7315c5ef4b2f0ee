// Owns splitting a command line into pieces for colouring. Pure. Decides nothing: the bridge's
// policy has its own parser, and where the two differ, only a colour is wrong. Also owns splitting
// a shell line into tokens, in one pass. And the kinds of pieces in a command line, and which kind
// the next word has. Pure, and a guess: used only for colours.

import { escapeInsideQuotes, quoteWord, chooseQuote } from "../../protocol/formats.ts";
import { INVISIBLE } from "../session/visible-text.ts";

/** Further colours are not read, and each piece costs an element. */
const MAX_CHARS = 8192;

export function tokenizeLine(line: string): Token[] {
  // Do not cut a surrogate pair.
  const most = /[\uD800-\uDBFF]/.test(line.charAt(MAX_CHARS - 1)) ? MAX_CHARS - 1 : MAX_CHARS;
  const tokens = new LineScanner(line.slice(0, most)).tokens();
  return line.length <= most
    ? tokens
    : [...tokens, { kind: "word", text: line.slice(most), word: undefined }];
}

/** Returns the pieces of separate words: an operator inside one of them is plain text. */
export function tokenizeArgv(argv: readonly string[]): Token[] {
  let awaited: ExpectedWord = "program";
  return argv.flatMap((word, at): Token[] => {
    const text = quoteWord(word);
    const [kind, next] = toTokenKind(word, awaited);
    awaited = next;
    const isPlain = text === word || kind === "program";
    const gap: Token[] = at === 0 ? [] : [{ kind: "space", text: " ", word: undefined }];
    if (isScript(argv, at) && !isPlain) return [...gap, ...tokenizeScript(word, argv.length)];
    return [...gap, ...splitInvisible(isPlain ? kind : "string", text, at)];
  });
}

/** Whether the word is the line in `sh -c LINE`. */
function isScript(argv: readonly string[], at: number): boolean {
  const [program = ""] = argv;
  return /^(?:.*\/)?(?:ba|da|k|z)?sh$/.test(program) && /^-\w*c$/.test(argv[at - 1] ?? "");
}

/** Returns the pieces of a quoted line; `words` is the number of words before it. */
function tokenizeScript(line: string, words: number): Token[] {
  const sign = chooseQuote(line);
  const quote: Token = { kind: "string", text: sign, word: undefined };
  const inside = tokenizeLine(line).map((token) => ({
    ...token,
    text: escapeInsideQuotes(token.text, sign),
    word: token.word === undefined ? undefined : token.word + words,
  }));
  return [quote, ...inside, quote];
}

const SPACE = /[ \t]+/y;
const NEWLINE = /\n+/y;
const COMMENT = /#[^\n]*/y;
const REDIRECT = /(?:\d+|&)?(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)(?:(?<=&)(?:\d+|-))?/y;
/** A number in front of the redirect belongs to the word. */
const REDIRECT_INSIDE = /(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)(?:(?<=&)(?:\d+|-))?/y;
const OPERATOR = /&&|\|\||;;|\|&|[|;&()]/y;
const SUBSTITUTION = /\$\(|`/y;
const VARIABLE = /\$(?:\w+|\{[^}\n]*\}?|[@*#?$!-])/y;
const SINGLE = /'[^']*'?/y;
const ESCAPED_SINGLE = /\$'(?:[^'\\]|\\[^]?)*'?/uy;
/** Up to an expansion in the quotes, or their end. */
const DOUBLE = /(?:[^"\\$`]|\\[^]?|\$(?![\w{@*#?$!(-]))+/uy;
const BARE = /[^ \t\n'"\\$`|&;()<>]+|\\[^]?|\$/uy;

class LineScanner {
  readonly #line: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #words = 0;
  #expected: ExpectedWord = "program";
  /** What may follow the file of a redirect. */
  #expectedAfterTarget: ExpectedWord = "program";
  /** The kind of the current word; undefined between words. */
  #kind: TokenKind | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  tokens(): Token[] {
    while (this.#at < this.#line.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const isInside = this.#kind !== undefined;
    if (this.#takeSeparator(SPACE, "space")) return undefined;
    if (this.#takeSeparator(NEWLINE, "space")) return this.#command();
    if (!isInside && this.#takeSeparator(COMMENT, "comment")) return undefined;
    if (this.#takeSeparator(isInside ? REDIRECT_INSIDE : REDIRECT, "redirect"))
      return this.#redirect();
    if (this.#takeSeparator(OPERATOR, "operator")) return this.#command();
    if (this.#takeSeparator(SUBSTITUTION, "operator")) return this.#command();
    return this.#piece(this.#beginWord());
  }

  #piece(kind: TokenKind): void {
    const inQuotes = kind === "program" ? kind : "string";
    if (this.#take(SINGLE, inQuotes) || this.#take(ESCAPED_SINGLE, inQuotes)) return undefined;
    if (this.#line.charAt(this.#at) === '"') return this.#double(inQuotes);
    if (!this.#take(VARIABLE, "variable")) this.#take(BARE, kind);
    return undefined;
  }

  #double(kind: TokenKind): void {
    this.#put('"', kind);
    while (this.#at < this.#line.length) {
      if (this.#line.charAt(this.#at) === '"') return this.#put('"', kind);
      if (this.#take(DOUBLE, kind) || this.#take(SUBSTITUTION, "operator")) continue;
      this.#take(VARIABLE, "variable");
    }
    return undefined;
  }

  /** Returns the kind of the current word, by its start. */
  #beginWord(): TokenKind {
    if (this.#kind !== undefined) return this.#kind;
    const [head = ""] = /^[^\s|&;()<>]*/.exec(this.#line.slice(this.#at)) ?? [];
    const [kind, next] = toTokenKind(head.replaceAll(/['"\\]/g, ""), this.#expected);
    this.#expected = this.#expected === "target" ? this.#expectedAfterTarget : next;
    this.#words += 1;
    this.#kind = kind;
    return kind;
  }

  #command(): void {
    this.#expected = "program";
  }

  #redirect(): void {
    // Redirects to another descriptor, not to a file.
    if (/&[\d-]+$/.test(this.#tokens.at(-1)?.text ?? "")) return;
    if (this.#expected !== "target") this.#expectedAfterTarget = this.#expected;
    this.#expected = "target";
  }

  /** Reads a token that is not part of a word, and ends the current one; returns whether it did. */
  #takeSeparator(pattern: RegExp, kind: TokenKind): boolean {
    const text = this.#match(pattern);
    if (text === undefined) return false;
    this.#kind = undefined;
    this.#words += 1;
    this.#at += text.length;
    this.#tokens.push(...splitInvisible(kind, text, kind === "space" ? undefined : this.#words));
    return true;
  }

  #take(pattern: RegExp, kind: TokenKind): boolean {
    const text = this.#match(pattern);
    if (text !== undefined) this.#put(text, kind);
    return text !== undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#line)?.[0];
  }

  #put(text: string, kind: TokenKind): void {
    this.#at += text.length;
    for (const piece of splitInvisible(kind, text, this.#words)) {
      const last = this.#tokens.at(-1);
      if (last?.kind === piece.kind && last.word === piece.word)
        this.#tokens[this.#tokens.length - 1] = { ...last, text: last.text + piece.text };
      else this.#tokens.push(piece);
    }
  }
}

type TokenKind =
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
type ExpectedWord = "program" | "verb" | "argument" | "target";

function toTokenKind(word: string, awaited: ExpectedWord): [kind: TokenKind, next: ExpectedWord] {
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
function splitInvisible(kind: TokenKind, text: string, word: number | undefined): Token[] {
  const pieces = text.split(new RegExp(`((?:${INVISIBLE.source})+)`, "u")).filter(Boolean);
  return pieces.map((piece) => ({
    kind: INVISIBLE.test(piece) ? "unseen" : kind,
    text: piece,
    word,
  }));
}
