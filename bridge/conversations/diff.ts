// Owns the difference between two texts: one unified hunk around the change, bounded. Pure. For
// people who review a change; not meant to be applied.

import { KiB } from "../../protocol/limits.ts";

const CONTEXT_LINES = 3;
/** Maximum that a card shows. */
export const MAX_DIFF_CHARS = 24 * KiB;

export interface Diff {
  readonly text: string;
  /** Number of lines left out. */
  readonly omittedLines: number;
}

export function formatDiff(path: string, before: string | undefined, after: string): Diff {
  const old = before === undefined ? [] : splitLines(before);
  const fresh = splitLines(after);
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
  return limitLines(lines);
}

function limitLines(lines: readonly string[]): Diff {
  let chars = 0;
  const shown = lines.filter((line) => {
    chars += line.length + 1;
    return chars <= MAX_DIFF_CHARS;
  });
  return { text: shown.join("\n"), omittedLines: lines.length - shown.length };
}

/** Splits into lines, without an empty one after the last line break. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function range(from: number, to: number): string {
  return to === from ? `${from},0` : `${from + 1},${to - from}`;
}
