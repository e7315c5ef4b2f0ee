// Owns finding lines in a terminal's text: those that match and a little around them, the newest
// where not all fit. How much is looked at in one turn is search.ts.

import type { Matcher } from "./search.ts";
import { Search } from "./search.ts";

/** Lines before and behind each that matches. */
export const AROUND_LINES = 2;
/** Between lines that do not follow each other, as grep has it. */
const APART = "--";

export interface Found {
  readonly text: string;
  /** How many lines match. */
  readonly matches: number;
  /** How many of them are in the text. */
  readonly shown: number;
}

export async function linesAround(
  text: string,
  matches: Matcher,
  mostChars: number,
  signal: AbortSignal,
): Promise<Found> {
  const lines = text.split("\n");
  const hits: number[] = [];
  const search = new Search(matches, () => signal.aborted);
  // Twice: a group is looked at whole, and line by line if it has one that matches.
  const groupChars = search.pieceChars / 2;
  for (const [from, to] of groupsOf(lines, groupChars)) {
    if (signal.aborted) break;
    const group = lines.slice(from, to);
    const whole = group.join("\n");
    if (group.length === 1) {
      if (await search.finds(whole)) hits.push(from);
      continue;
    }
    const look = () => (matches(whole) ? group.map((line) => matches(line)) : []);
    const found = await search.inTurn(2 * whole.length, look, []);
    for (const [at, isHit] of found.entries()) if (isHit) hits.push(from + at);
  }
  return fit(lines, hits, mostChars);
}

/** Yields ranges of lines that are at most so long together; a line that is longer is alone. */
function* groupsOf(lines: readonly string[], mostChars: number): Generator<[number, number]> {
  let from = 0;
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length + 1;
    if (length <= mostChars || at === from) continue;
    yield [from, at];
    from = at;
    length = line.length + 1;
  }
  if (from < lines.length) yield [from, lines.length];
}

/** From the last hit back, for as long as there is room. */
function fit(lines: readonly string[], hits: readonly number[], mostChars: number): Found {
  const wanted = new Set<number>();
  let length = 0;
  let shown = 0;
  for (const hit of hits.toReversed()) {
    const first = Math.max(0, hit - AROUND_LINES);
    const last = Math.min(lines.length - 1, hit + AROUND_LINES);
    const added: number[] = [];
    for (let at = first; at <= last; at++) if (!wanted.has(at)) added.push(at);
    length += added.reduce((sum, at) => sum + (lines[at] ?? "").length + 1, APART.length + 1);
    if (length > mostChars) break;
    for (const at of added) wanted.add(at);
    shown += 1;
  }
  return { text: told(lines, wanted), matches: hits.length, shown };
}

function told(lines: readonly string[], wanted: ReadonlySet<number>): string {
  let text = "";
  let before: number | undefined;
  for (const at of [...wanted].toSorted((a, b) => a - b)) {
    if (before !== undefined && at > before + 1) text += `${APART}\n`;
    text += `${lines[at] ?? ""}\n`;
    before = at;
  }
  return text;
}
