// Owns reading an agent's text as Markdown: into pieces of a closed set, and nothing else. Pure. What
// looks like HTML stays text; a link is one only if its target is opened at all. Does not draw.

import type { MarkedToken, Token } from "marked";
import { Lexer } from "marked";
import type { Target } from "./links.ts";
import { says, targetOf } from "./links.ts";
import { decoded } from "./entities.ts";

export type Inline =
  | { readonly is: "text" | "code"; readonly text: string }
  | { readonly is: "strong" | "em" | "del"; readonly of: readonly Inline[] }
  /** `isPlain`: its text is its target. */
  | {
      readonly is: "link";
      readonly to: Target;
      readonly isPlain: boolean;
      readonly of: readonly Inline[];
    }
  | { readonly is: "break" };

export type Align = "center" | "left" | "right" | null;

export type Block = { /** What it was read from: the same again draws the same. */ raw: string } & (
  | { readonly is: "paragraph" | "line"; readonly of: readonly Inline[] }
  | { readonly is: "heading"; readonly level: number; readonly of: readonly Inline[] }
  | { readonly is: "code"; readonly text: string; readonly lang: string }
  | { readonly is: "quote"; readonly of: readonly Block[] }
  | { readonly is: "list"; readonly start: number | undefined; readonly items: readonly Item[] }
  | {
      readonly is: "table";
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly is: "rule" }
);

export interface Item {
  readonly done: boolean | undefined;
  readonly of: readonly Block[];
}

/** Reading the insides of a paragraph takes time by the square of its length: more stays as it is. */
const MOST_INLINE = 4000;

/** Nobody writes deeper, and each level reads all of the text below it again. */
const MOST_DEPTH = 16;

/** Quotes and lists within each other, of one line. */
const TOO_DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){${MOST_DEPTH}}`,
  "m",
);

/** Read by each line; more than this is shown as it came. */
const MOST_CHARS = 200_000;

export function blocksOf(text: string): readonly Block[] {
  if (text.length > MOST_CHARS || TOO_DEEP.test(text)) return [plain(text)];
  const lexer = new Lexer({ gfm: true, breaks: true });
  try {
    // What is inside of blocks is read below, within its limit.
    lexer.blockTokens(text.replaceAll(/\r\n?/g, "\n"), lexer.tokens);
    return new Reader(lexer).blocks(lexer.tokens, 0);
  } catch (error) {
    // Too deep in a way that was not foreseen, or a fault of the reader: the text is still readable.
    if (error instanceof Error) return [plain(text)];
    throw error;
  }
}

function plain(text: string): Block {
  return { is: "paragraph", raw: text, of: [{ is: "text", text }] };
}

class Reader {
  readonly #lexer: Lexer;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  blocks(tokens: readonly Token[], depth: number): Block[] {
    return tokens.flatMap((token) => this.#block(token, depth));
  }

  #block(token: Token, depth: number): Block[] {
    const { raw } = token;
    if (!isMarked(token) || depth > MOST_DEPTH) return [plain(raw)];
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "paragraph":
        return [{ is: "paragraph", raw, of: this.#inside(token.text) }];
      case "text":
        return [{ is: "line", raw, of: this.#inside(token.text) }];
      case "heading":
        return [{ is: "heading", raw, level: token.depth, of: this.#inside(token.text) }];
      case "code":
        return [{ is: "code", raw, text: token.text, lang: token.lang ?? "" }];
      case "blockquote":
        return [{ is: "quote", raw, of: this.blocks(token.tokens, depth + 1) }];
      case "list":
        return [
          {
            is: "list",
            raw,
            start: token.ordered ? startOf(token.start) : undefined,
            items: token.items.map(({ task, checked, tokens }) => ({
              done: task ? checked === true : undefined,
              of: this.blocks(tokens.filter(isNoBox), depth + 1),
            })),
          },
        ];
      case "table":
        return [
          {
            is: "table",
            raw,
            align: token.align,
            head: token.header.map(({ text }) => this.#inside(text)),
            rows: token.rows.map((row) => row.map(({ text }) => this.#inside(text))),
          },
        ];
      case "hr":
        return [{ is: "rule", raw }];
      default:
        return [plain(raw)];
    }
  }

  #inside(text: string): Inline[] {
    if (text.length > MOST_INLINE) return [{ is: "text", text }];
    return this.#inlines(this.#lexer.inlineTokens(text, []));
  }

  #inlines(tokens: readonly Token[]): Inline[] {
    return tokens.flatMap((token) => this.#inline(token));
  }

  #inline(token: Token): Inline[] {
    if (!isMarked(token)) return [{ is: "text", text: token.raw }];
    switch (token.type) {
      case "text":
        return [{ is: "text", text: decoded(token.text) }];
      case "escape":
        return [{ is: "text", text: token.text }];
      case "codespan":
        return [{ is: "code", text: token.text }];
      case "strong":
      case "em":
      case "del":
        return [{ is: token.type, of: this.#inlines(token.tokens) }];
      case "br":
        return [{ is: "break" }];
      case "link":
        return linked(token.href, this.#inlines(token.tokens), token.raw);
      case "image":
        return linked(token.href, [{ is: "text", text: decoded(token.text) }], token.raw);
      case "checkbox":
        return [];
      default:
        // HTML is no markup here.
        return [{ is: "text", text: token.raw }];
    }
  }
}

/** What is not opened is shown as it was written, target and all. */
function linked(href: string, of: Inline[], raw: string): Inline[] {
  const to = targetOf(decoded(href));
  if (!to) return [{ is: "text", text: raw }];
  const text = textOf(of);
  if (text.trim() === "") return [{ is: "link", to, isPlain: true, of: [shownAs(to)] }];
  return [{ is: "link", to, isPlain: says(text, to), of }];
}

function shownAs({ shown }: Target): Inline {
  return { is: "text", text: shown };
}

/** All that is read, without its looks. */
export function textOf(of: readonly Inline[]): string {
  return of
    .map((one) => {
      if (one.is === "break") return "\n";
      return "text" in one ? one.text : textOf(one.of);
    })
    .join("");
}

/** The reader has no extensions: whatever comes of it is of its own types. */
function isMarked(token: Token): token is MarkedToken {
  return typeof token.type === "string";
}

function isNoBox({ type }: Token): boolean {
  return type !== "checkbox";
}

function startOf(start: number | ""): number {
  return start === "" ? 1 : start;
}
