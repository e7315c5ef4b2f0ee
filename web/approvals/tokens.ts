// Owns splitting a command line into pieces for colouring. Pure. Decides nothing: the bridge's policy
// has its own parser, and where the two differ, only a colour is wrong.

import { insideQuotes, quoted, quoteOf } from "../../protocol/quoting.ts";
import type { Awaited, Token } from "./roles.ts";
import { apart, roleOf } from "./roles.ts";
import { Scan } from "./scan.ts";

/** Further colours are not read, and each piece costs an element. */
const MOST_CHARS = 8192;

export function tokensOf(line: string): Token[] {
  // Do not cut a surrogate pair.
  const most = /[\uD800-\uDBFF]/.test(line.charAt(MOST_CHARS - 1)) ? MOST_CHARS - 1 : MOST_CHARS;
  const tokens = new Scan(line.slice(0, most)).tokens();
  return line.length <= most
    ? tokens
    : [...tokens, { kind: "word", text: line.slice(most), word: undefined }];
}

/** Returns the pieces of separate words: an operator inside one of them is plain text. */
export function tokensOfArgv(argv: readonly string[]): Token[] {
  let awaited: Awaited = "program";
  return argv.flatMap((word, at): Token[] => {
    const text = quoted(word);
    const [kind, next] = roleOf(word, awaited);
    awaited = next;
    const isPlain = text === word || kind === "program";
    const gap: Token[] = at === 0 ? [] : [{ kind: "space", text: " ", word: undefined }];
    if (isScript(argv, at) && !isPlain) return [...gap, ...scriptOf(word, argv.length)];
    return [...gap, ...apart(isPlain ? kind : "string", text, at)];
  });
}

/** Whether the word is the line in `sh -c LINE`. */
function isScript(argv: readonly string[], at: number): boolean {
  const [program = ""] = argv;
  return /^(?:.*\/)?(?:ba|da|k|z)?sh$/.test(program) && /^-\w*c$/.test(argv[at - 1] ?? "");
}

/** Returns the pieces of a quoted line; `words` is the number of words before it. */
function scriptOf(line: string, words: number): Token[] {
  const sign = quoteOf(line);
  const quote: Token = { kind: "string", text: sign, word: undefined };
  const inside = tokensOf(line).map((token) => ({
    ...token,
    text: insideQuotes(token.text, sign),
    word: token.word === undefined ? undefined : token.word + words,
  }));
  return [quote, ...inside, quote];
}
