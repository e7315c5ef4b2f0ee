// Owns how people see an agent's content: the difference between two texts as one unified hunk, and
// JSON, indented. Both are bounded. Pure.

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

// JSON.stringify costs the square of the depth and overflows the stack. Pure.

/** Deeper levels are not readable. */
const MAX_DEPTH = 32;
const INDENT = "  ";

/** Returns the whole text, or slightly more than `most` characters. */
export function formatJson(value: unknown, most: number): string {
  let text = "";

  function write(one: unknown, depth: number): void {
    if (typeof one === "string") text += JSON.stringify(one.slice(0, most));
    else if (typeof one !== "object" || one === null) text += String(one);
    else if (depth === MAX_DEPTH) text += "…";
    else if (Array.isArray(one)) {
      const isFull = writeAll("[", one, depth, (item) => write(item, depth + 1));
      if (!isFull) text += "]";
    } else {
      const isFull = writeAll("{", Object.entries(one), depth, ([name, item]) => {
        text += `${JSON.stringify(name.slice(0, most))}: `;
        write(item, depth + 1);
      });
      if (!isFull) text += "}";
    }
  }

  /** Returns whether the limit was reached. */
  function writeAll<T>(open: string, all: readonly T[], depth: number, each: (one: T) => void) {
    text += open;
    for (const [index, one] of all.entries()) {
      if (text.length > most) return true;
      text += `${index === 0 ? "" : ","}\n${INDENT.repeat(depth + 1)}`;
      each(one);
    }
    if (all.length > 0) text += `\n${INDENT.repeat(depth)}`;
    return text.length > most;
  }

  write(value, 0);
  return text;
}
