import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CellReader } from "./finger-selection.ts";
import { extendTo, moveEnd, wordAt } from "./finger-selection.ts";

/** Returns lines of ten cells; ">" marks a line that continues the one before. */
function listCells(...lines: string[]): CellReader {
  const plain = lines.map((line) => Array.from(line.replace(/^>/, "").padEnd(10)));
  return {
    cols: 10,
    rows: lines.length,
    at: (column, row) => plain[row]?.[column]?.replace("_", ""),
    isWrapped: (row) => lines[row]?.startsWith(">") === true,
  };
}

test("TO2 a long press selects a word: a path or an address is one, also over the end of a line", () => {
  const cells = listCells("ls ./a/b.c", "see https:", ">//x.dev/y ok", "next", "日_本_ x");
  expect(wordAt(cells, 5)).toEqual({ from: 3, to: 10 });
  expect(wordAt(cells, 16)).toEqual({ from: 14, to: 29 });
  expect(wordAt(cells, 25)).toEqual({ from: 14, to: 29 });
  expect(wordAt(cells, 2)).toBeUndefined();
  expect(wordAt(cells, 38)).toBeUndefined();
  expect(wordAt(cells, 41)).toEqual({ from: 40, to: 44 });
  expect(wordAt(listCells('say "hi"'), 6)).toEqual({ from: 5, to: 7 });
  expect(wordAt(cells, 999)).toBeUndefined();
});

test("TO2 TO14 a drag keeps the word it began on, and a handle leaves at least a cell", () => {
  const range = fc
    .tuple(fc.nat(500), fc.integer({ min: 1, max: 90 }))
    .map(([from, cells]) => ({ from, to: from + cells }));
  fc.assert(
    fc.property(range, fc.nat(900), (word, cell) => {
      const more = extendTo(word, cell);
      expect(more.from <= word.from && more.to >= word.to).toBe(true);
      expect(more.from <= cell && cell < more.to).toBe(true);
      for (const end of ["from", "to"] as const) {
        const now = moveEnd(word, end, cell);
        expect(now.to).toBeGreaterThan(now.from);
        expect(end === "from" ? now.to : now.from).toBe(end === "from" ? word.to : word.from);
      }
    }),
  );
});
