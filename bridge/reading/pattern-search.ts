// Owns searching for a pattern in long text: in pieces of bounded time, one per turn of the event
// loop over all searches together. A hundred agents with costly patterns delay only each other.
// Also owns finding lines in a terminal's text: matching lines with some context, the newest if not
// all fit. pattern-search.ts limits the work per turn.

import { SerialQueue } from "./serial-queue.ts";

export interface Matcher {
  (text: string): boolean;
  /** Size of the compiled expression; absent for plain text, which counts as 1. */
  readonly steps?: number;
}

/**
 * A match takes 10 to 25 ns per step and character (measured with RE2JS 2.10 on Node 20, worst with
 * classes beyond ASCII): a piece takes at most some 40 ms.
 */
const MAX_PIECE_WORK = 2e6;
const MAX_PIECE_CHARS = 20 << 10;
/** Pieces overlap by this much, so that a match on their edge is found. */
export const OVERLAP_CHARS = 4 << 10;
/**
 * Takes less than a millisecond: such a piece runs immediately, so that a plain wait ends quickly.
 */
const MAX_IMMEDIATE_WORK = MAX_PIECE_CHARS - 1;

/** Shared: two searches in the same turn would block the bridge twice as long. */
const searchQueue = new SerialQueue();

export class PatternSearch {
  /** Characters per turn; more than the overlap. */
  readonly pieceChars: number;
  readonly #matches: Matcher;
  readonly #steps: number;
  readonly #hasEnded: () => boolean;

  /** Stops early once `hasEnded` returns true. */
  constructor(matches: Matcher, hasEnded: () => boolean) {
    this.#matches = matches;
    this.#hasEnded = hasEnded;
    this.#steps = matches.steps ?? 1;
    this.pieceChars = Math.max(
      2 * OVERLAP_CHARS,
      Math.min(MAX_PIECE_CHARS, Math.floor(MAX_PIECE_WORK / this.#steps)),
    );
  }

  /** Whether the text matches anywhere; a match longer than the overlap may be missed. */
  async search(text: string): Promise<boolean> {
    for (let at = 0; ; at += this.pieceChars - OVERLAP_CHARS) {
      const end = at + this.pieceChars;
      const piece = text.slice(at, end);
      if (await this.runQueued(piece.length, () => this.#matches(piece), false)) return true;
      if (end >= text.length || this.#hasEnded()) return false;
    }
  }

  /** Runs `look` when its turn comes; resolves to `otherwise` if the search has ended. */
  async runQueued<T>(chars: number, look: () => T, otherwise: T): Promise<T> {
    const lookUnlessEnded = () => (this.#hasEnded() ? otherwise : look());
    if (chars * this.#steps <= MAX_IMMEDIATE_WORK) return lookUnlessEnded();
    return await searchQueue.run(lookUnlessEnded);
  }
}

/** Context lines before and after each match. */
export const CONTEXT_LINES = 2;
/** Separates lines that are not adjacent, as grep does. */
const SEPARATOR = "--";

export interface MatchedLines {
  readonly text: string;
  /** Number of matching lines. */
  readonly matches: number;
  /** Number of matching lines in the text. */
  readonly shown: number;
}

export async function findMatchingLines(
  text: string,
  matches: Matcher,
  maxChars: number,
  signal: AbortSignal,
): Promise<MatchedLines> {
  const lines = text.split("\n");
  const hits: number[] = [];
  const search = new PatternSearch(matches, () => signal.aborted);
  // Half a piece: a group is searched as a whole, then line by line if it matches.
  const groupChars = search.pieceChars / 2;
  for (const [from, to] of listGroups(lines, groupChars)) {
    if (signal.aborted) break;
    const group = lines.slice(from, to);
    const whole = group.join("\n");
    if (group.length === 1) {
      if (await search.search(whole)) hits.push(from);
      continue;
    }
    const look = () => (matches(whole) ? group.map((line) => matches(line)) : []);
    const found = await search.runQueued(2 * whole.length, look, []);
    for (const [at, isHit] of found.entries()) if (isHit) hits.push(from + at);
  }
  return fitMatches(lines, hits, maxChars);
}

/** Yields ranges of lines of at most `maxChars` together; a longer line is alone. */
function* listGroups(lines: readonly string[], maxChars: number): Generator<[number, number]> {
  let from = 0;
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length + 1;
    if (length <= maxChars || at === from) continue;
    yield [from, at];
    from = at;
    length = line.length + 1;
  }
  if (from < lines.length) yield [from, lines.length];
}

/** Selects matches from the last one back, as long as there is room. */
function fitMatches(
  lines: readonly string[],
  hits: readonly number[],
  maxChars: number,
): MatchedLines {
  const wanted = new Set<number>();
  let length = 0;
  let shown = 0;
  for (const hit of hits.toReversed()) {
    const first = Math.max(0, hit - CONTEXT_LINES);
    const last = Math.min(lines.length - 1, hit + CONTEXT_LINES);
    const added: number[] = [];
    for (let at = first; at <= last; at++) if (!wanted.has(at)) added.push(at);
    length += added.reduce((sum, at) => sum + (lines[at] ?? "").length + 1, SEPARATOR.length + 1);
    if (length > maxChars) break;
    for (const at of added) wanted.add(at);
    shown += 1;
  }
  return { text: formatLines(lines, wanted), matches: hits.length, shown };
}

function formatLines(lines: readonly string[], wanted: ReadonlySet<number>): string {
  let text = "";
  let before: number | undefined;
  for (const at of [...wanted].toSorted((a, b) => a - b)) {
    if (before !== undefined && at > before + 1) text += `${SEPARATOR}\n`;
    text += `${lines[at] ?? ""}\n`;
    before = at;
  }
  return text;
}
