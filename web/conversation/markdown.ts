// Owns parsing an agent's text as Markdown into a closed set of pieces. Pure. HTML stays text, and
// links only to targets that the page opens. Does not draw.

import type { MarkedToken, Token } from "marked";
import { Lexer } from "marked";
import type { LinkTarget } from "./link-targets.ts";
import { isTargetText, findTarget } from "./link-targets.ts";
import { decodeEntities } from "./entities.ts";

export type Inline =
  | { readonly is: "text" | "code"; readonly text: string }
  | { readonly is: "strong" | "em" | "del"; readonly of: readonly Inline[] }
  /** `isPlain`: the text is the target itself. */
  | {
      readonly is: "link";
      readonly to: LinkTarget;
      readonly isPlain: boolean;
      readonly of: readonly Inline[];
    }
  | { readonly is: "break" };

export type Align = "center" | "left" | "right" | null;

export type Block = {
  /** The source text, by which unchanged blocks are recognised. */ raw: string;
} & (
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
  readonly blocks: readonly Block[];
}

/** Parsing a paragraph's inline markup takes quadratic time, so longer ones stay plain text. */
const MAX_INLINE = 4000;

/** Deeper than any real text; each level parses the text below it again. */
const MAX_DEPTH = 16;

/** Matches a line with nested quotes and lists beyond the limit. */
const TOO_DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){${MAX_DEPTH}}`,
  "m",
);

/** Longer texts are shown unparsed. */
const MAX_CHARS = 200_000;

export function parseMarkdown(text: string): readonly Block[] {
  if (text.length > MAX_CHARS || TOO_DEEP.test(text)) return [toParagraph(text)];
  const lexer = new Lexer({ gfm: true, breaks: true });
  try {
    // Only blocks here; inline markup is parsed below, within its own limit.
    lexer.blockTokens(text.replaceAll(/\r\n?/g, "\n"), lexer.tokens);
    return new MarkdownReader(lexer).blocks(lexer.tokens, 0);
  } catch (error) {
    // Unexpectedly deep, or a bug in the parser: the plain text is still readable.
    if (error instanceof Error) return [toParagraph(text)];
    throw error;
  }
}

function toParagraph(text: string): Block {
  return { is: "paragraph", raw: text, of: [{ is: "text", text }] };
}

class MarkdownReader {
  readonly #lexer: Lexer;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  blocks(tokens: readonly Token[], depth: number): Block[] {
    return tokens.flatMap((token) => this.#block(token, depth));
  }

  #block(token: Token, depth: number): Block[] {
    const { raw } = token;
    if (!isMarked(token) || depth > MAX_DEPTH) return [toParagraph(raw)];
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "paragraph":
        return [{ is: "paragraph", raw, of: this.#parseInline(token.text) }];
      case "text":
        return [{ is: "line", raw, of: this.#parseInline(token.text) }];
      case "heading":
        return [{ is: "heading", raw, level: token.depth, of: this.#parseInline(token.text) }];
      case "code":
        return [{ is: "code", raw, text: token.text, lang: token.lang ?? "" }];
      case "blockquote":
        return [{ is: "quote", raw, of: this.blocks(token.tokens, depth + 1) }];
      case "list":
        return [
          {
            is: "list",
            raw,
            start: token.ordered ? toStartNumber(token.start) : undefined,
            items: token.items.map(({ task, checked, tokens }) => ({
              done: task ? checked === true : undefined,
              blocks: this.blocks(tokens.filter(isNotCheckbox), depth + 1),
            })),
          },
        ];
      case "table":
        return [
          {
            is: "table",
            raw,
            align: token.align,
            head: token.header.map(({ text }) => this.#parseInline(text)),
            rows: token.rows.map((row) => row.map(({ text }) => this.#parseInline(text))),
          },
        ];
      case "hr":
        return [{ is: "rule", raw }];
      default:
        return [toParagraph(raw)];
    }
  }

  #parseInline(text: string): Inline[] {
    if (text.length > MAX_INLINE) return [{ is: "text", text }];
    return this.#inlines(this.#lexer.inlineTokens(text, []));
  }

  #inlines(tokens: readonly Token[]): Inline[] {
    return tokens.flatMap((token) => this.#inline(token));
  }

  #inline(token: Token): Inline[] {
    if (!isMarked(token)) return [{ is: "text", text: token.raw }];
    switch (token.type) {
      case "text":
        return [{ is: "text", text: decodeEntities(token.text) }];
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
        return toLink(token.href, this.#inlines(token.tokens), token.raw);
      case "image":
        return toLink(token.href, [{ is: "text", text: decodeEntities(token.text) }], token.raw);
      case "checkbox":
        return [];
      default:
        // HTML is not interpreted.
        return [{ is: "text", text: token.raw }];
    }
  }
}

/** Returns a link, or the text as written if its target is not opened. */
function toLink(href: string, of: Inline[], raw: string): Inline[] {
  const to = findTarget(decodeEntities(href));
  if (!to) return [{ is: "text", text: raw }];
  const text = toPlainText(of);
  if (text.trim() === "") return [{ is: "link", to, isPlain: true, of: [toTextInline(to)] }];
  return [{ is: "link", to, isPlain: isTargetText(text, to), of }];
}

function toTextInline({ shown }: LinkTarget): Inline {
  return { is: "text", text: shown };
}

/** Returns the text without its markup. */
export function toPlainText(of: readonly Inline[]): string {
  return of
    .map((one) => {
      if (one.is === "break") return "\n";
      return "text" in one ? one.text : toPlainText(one.of);
    })
    .join("");
}

/** Whether the token is one of marked's own types; always so, since no extensions are used. */
function isMarked(token: Token): token is MarkedToken {
  return typeof token.type === "string";
}

function isNotCheckbox({ type }: Token): boolean {
  return type !== "checkbox";
}

function toStartNumber(start: number | ""): number {
  return start === "" ? 1 : start;
}
