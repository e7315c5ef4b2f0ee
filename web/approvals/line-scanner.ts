// Owns splitting a shell line into tokens, in one pass.

import type { ExpectedWord, Token, TokenKind } from "./token-kinds.ts";
import { splitInvisible, toTokenKind } from "./token-kinds.ts";

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

export class LineScanner {
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
