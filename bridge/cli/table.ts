// Owns columns of text for people. Pure.

import { escaped } from "../config/problems.ts";

/** Folders, commands and reasons are others' words: none of them steers the reader's terminal. */
export function table(head: string[] | undefined, rows: string[][]): string {
  const all = (head === undefined ? rows : [head, ...rows]).map((row) => row.map(escaped));
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return all.map(line).join("\n");
}
