// Owns finding lines in a terminal's text: those that match and a little around them, the newest
// where not all fit. Piece by piece, with everybody else's turn in between.

import { setImmediate } from "node:timers/promises";
import type { Matcher } from "./waiting.ts";
import { PIECE_CHARS } from "./waiting.ts";

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
  for (const [from, to] of groupsOf(lines)) {
    if (signal.aborted) break;
    const group = lines.slice(from, to);
    if (matches(group.join("\n"))) {
      for (const [at, line] of group.entries()) if (matches(line)) hits.push(from + at);
    }
    await setImmediate();
  }
  return fit(lines, hits, mostChars);
}

/** Ranges of lines, about as long as a piece each; a line is never cut. */
function* groupsOf(lines: readonly string[]): Generator<[number, number]> {
  let from = 0;
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length + 1;
    if (length < PIECE_CHARS) continue;
    yield [from, at + 1];
    from = at + 1;
    length = 0;
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
