// Owns splitting a command line into pieces for colouring. Pure. Decides nothing: the bridge's policy
// has its own parser, and where the two differ, only a colour is wrong.

import { escapeInsideQuotes, quoteWord, chooseQuote } from "../../protocol/formats.ts";
import type { ExpectedWord, Token } from "./token-kinds.ts";
import { splitInvisible, toTokenKind } from "./token-kinds.ts";
import { LineScanner } from "./line-scanner.ts";

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
