// Owns finding lines in a terminal's text: matching lines with some context, the newest if not all
// fit. pattern-search.ts limits the work per turn.

import type { Matcher } from "./pattern-search.ts";
import { PatternSearch } from "./pattern-search.ts";

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
