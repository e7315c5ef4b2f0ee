// Owns which words of a command line the policy's reasons mention, so that they can be highlighted.
// Pure, and a guess, since reasons are sentences for people: a wrong word only has a wrong colour.

import type { Token } from "./token-kinds.ts";

interface Word {
  readonly number: number;
  /** The text without quotes. */
  readonly text: string;
}

const PATTERN = "pattern: ";

/** Patterns that have a name. */
const NAMED_PATTERNS: ReadonlyMap<string, readonly string[]> = new Map([
  ["command substitution", ["$("]],
  ["backticks", ["`"]],
]);

/** Returns the numbers of the words that the reasons mention. */
export function findMentionedWords(
  tokens: readonly Token[],
  why: readonly string[],
): ReadonlySet<number> {
  const words = toWords(tokens);
  return new Set(why.flatMap((reason) => findMentioned(words, reason)));
}

function toWords(tokens: readonly Token[]): Word[] {
  const texts = new Map<number, string>();
  for (const { text, word } of tokens)
    if (word !== undefined) texts.set(word, (texts.get(word) ?? "") + text);
  return Array.from(texts, ([number, text]) => ({ number, text: text.replaceAll(/['"\\]/g, "") }));
}

function findMentioned(words: readonly Word[], reason: string): number[] {
  if (reason.startsWith(PATTERN)) {
    const pattern = reason.slice(PATTERN.length);
    return inOrder(words, NAMED_PATTERNS.get(pattern) ?? pattern.split(" "), Infinity);
  }
  // "`git reset --hard` discards …": operands may be in between.
  const [, call] = /^`([^`]+)`/.exec(reason) ?? [];
  if (call !== undefined) return inOrder(words, call.replace(/…$/, "").split(" "), Infinity);
  // "rm … -r, which may delete folders" of older bridges: anything may be in between.
  const [, first, second] = /^(\S+) … ([^\s,]+)/.exec(reason) ?? [];
  if (first !== undefined && second !== undefined) return inOrder(words, [first, second], Infinity);
  const plainReason = reason.replace(/^the word /, "");
  const spoken = plainReason.split(" ").map((word) => word.replace(/[,:]$/, ""));
  const leading = findLeadingWords(words, spoken);
  // Later in the sentence, only a word that is hardly an English word counts.
  const named = spoken.slice(leading.length).filter((word) => /[./~=$*]|^-|\d/.test(word));
  return [...leading, ...named.flatMap((word) => inOrder(words, [word], 0))];
}

/** Returns the words at the start of a reason: "git reset drops …" mentions `git` and `reset`. */
function findLeadingWords(words: readonly Word[], spoken: readonly string[]): number[] {
  let best: number[] = [];
  for (let length = 1; length <= Math.min(spoken.length, 3); length++) {
    const found = inOrder(words, spoken.slice(0, length), 3);
    if (found.length === 0) break;
    best = found;
  }
  return best;
}

/**
 * Returns the numbers of `wanted` in order, as close together as possible, with at most `gap` words in
 * between.
 */
function inOrder(words: readonly Word[], wanted: readonly string[], gap: number): number[] {
  let best: number[] = [];
  let closest = Infinity;
  for (let start = 0; start < words.length; start++) {
    const places = findFrom(words, wanted, gap, start);
    const span = (places.at(-1) ?? Infinity) - start;
    if (places.length < wanted.length || span >= closest) continue;
    closest = span;
    best = places.map((at) => words[at]?.number ?? 0);
  }
  return best;
}

function findFrom(
  words: readonly Word[],
  wanted: readonly string[],
  gap: number,
  start: number,
): number[] {
  const places: number[] = [];
  let at = start;
  for (const one of wanted) {
    const last = places.length === 0 ? start : at + gap;
    while (at < words.length && at <= last && !isMatch(words[at], one)) at += 1;
    if (at > last || at >= words.length) return [];
    places.push(at);
    at += 1;
  }
  return places;
}

function isMatch(word: Word | undefined, wanted: string): boolean {
  if (word === undefined) return false;
  const [text, meant] = [word.text.toLowerCase(), wanted.toLowerCase()];
  if (text === meant || text.split("/").at(-1) === meant) return true;
  if (/^-\w$/.test(meant)) return /^-\w+$/.test(text) && text.includes(meant.slice(1));
  return meant.endsWith("/") && text.startsWith(meant);
}
