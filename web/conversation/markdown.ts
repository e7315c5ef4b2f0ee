// Owns parsing an agent's text as Markdown into a closed set of pieces. Pure. HTML stays text, and
// links only to targets that the page opens. Does not draw. Also owns decoding the character
// references that are common in Markdown. Pure; all others stay as written. And which link targets
// the page opens. Pure. Any other target from an agent stays text.

import type { MarkedToken, Token } from "marked";
import { Lexer } from "marked";
import { showInvisible } from "../session/visible-text.ts";

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

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
  larr: "←",
  rarr: "→",
};

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|([A-Za-z]{2,8}));/g;

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(REFERENCE, (whole, decimal, hex, name) => {
    if (typeof name === "string")
      return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}

const OPENABLE_SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Maximum length of a shown target. */
const MAX_TARGET_CHARS = 72;

interface LinkTarget {
  readonly href: string;
  /** The displayed form, with the host as browsers resolve it. */
  readonly shown: string;
}

/** Returns the target; undefined for other schemes, relative addresses and invalid ones. */
function findTarget(href: string): LinkTarget | undefined {
  // Browsers drop control characters, which could join separate parts.
  if (/\p{Cc}/u.test(href)) return undefined;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (!OPENABLE_SCHEMES.has(url.protocol)) return undefined;
  if (url.protocol !== "mailto:" && url.host === "") return undefined;
  // Credentials before the host serve only to mislead.
  url.username = "";
  url.password = "";
  return { href: url.href, shown: shortenTarget(url) };
}

/** Whether the link's text is its target. */
function isTargetText(text: string, { href, shown }: LinkTarget): boolean {
  const plain = text.trim();
  return [href, shown, href.replace(/\/$/, ""), href.replace(/^mailto:/, "")].includes(plain);
}

/** Shortens a target but keeps the whole host, which shows where the link leads. */
function shortenTarget({ href, protocol, host }: URL): string {
  const whole = href.replace(/\/$/, "");
  const maxChars = Math.max(MAX_TARGET_CHARS, `${protocol}//${host}`.length + 1);
  return showInvisible(whole.length <= maxChars ? whole : `${whole.slice(0, maxChars)}…`);
}
