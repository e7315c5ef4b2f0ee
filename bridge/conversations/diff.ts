// Owns the difference between two texts as people read it: one unified hunk around what changed,
// bounded. Pure. It is for reading before saying yes, not for applying.

import { KiB } from "../../protocol/limits.ts";

const CONTEXT_LINES = 3;
/** What a card shows at most. */
export const MOST_DIFF_CHARS = 24 * KiB;

export interface Diff {
  readonly text: string;
  /** Lines of it that are not shown. */
  readonly left: number;
}

export function diffOf(path: string, before: string | undefined, after: string): Diff {
  const old = before === undefined ? [] : linesOf(before);
  const fresh = linesOf(after);
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end += 1;
  }
  const from = Math.max(0, start - CONTEXT_LINES);
  const behind = Math.min(end, CONTEXT_LINES);
  const lines = [
    `--- ${before === undefined ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ -${range(from, old.length - end + behind)} +${range(from, fresh.length - end + behind)} @@`,
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - end + behind).map((line) => ` ${line}`),
  ];
  return bounded(lines);
}

function bounded(lines: readonly string[]): Diff {
  let chars = 0;
  const shown = lines.filter((line) => {
    chars += line.length + 1;
    return chars <= MOST_DIFF_CHARS;
  });
  return { text: shown.join("\n"), left: lines.length - shown.length };
}

/** Without the empty one behind the last line end. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function range(from: number, to: number): string {
  return to === from ? `${from},0` : `${from + 1},${to - from}`;
}
