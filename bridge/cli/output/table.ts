// Formats tables for people. Pure.

import { escapeInvisible } from "../../config/config-problems.ts";
import { wrapText } from "./format-text.ts";

/** Narrower columns of sentences would be mostly line breaks. */
const MIN_COLUMN_WIDTH = 20;

/**
 * Formats the table. Escapes all cells, since folders, commands and reasons are others' text. With a
 * width, the last column wraps between words.
 */
export function formatTable(head: string[] | undefined, rows: string[][], width?: number): string {
  const all = (head === undefined ? rows : [head, ...rows]).map((row) => row.map(escapeInvisible));
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? "").length)),
  );
  const indent = widths.slice(0, -1).reduce((sum, column) => sum + column + 2, 0);
  const room = (width ?? Number.POSITIVE_INFINITY) - indent;
  const line = (row: string[]) => {
    const first = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const last = row.at(-1) ?? "";
    const lines = room < MIN_COLUMN_WIDTH || last.length <= room ? [last] : wrapText(last, room);
    const text = [...first, lines.join(`\n${" ".repeat(indent)}`)].join("  ");
    return text.trimEnd();
  };
  return all.map(line).join("\n");
}
