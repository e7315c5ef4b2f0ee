import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTable } from "./table.ts";
import { wrapText } from "./format-text.ts";

const SENTENCE = "detached; pty-1 runs on: `pairpty attach pty-1`, `pairpty close pty-1`";

test("C15 lines break between words, and commands stay whole where they fit", () => {
  expect(wrapText(SENTENCE, 200)).toEqual([SENTENCE]);
  expect(wrapText(SENTENCE, 26)).toEqual([
    "detached; pty-1 runs on:",
    "`pairpty attach pty-1`,",
    "`pairpty close pty-1`",
  ]);
  expect(wrapText(SENTENCE, 12)).toEqual([
    "detached;",
    "pty-1 runs",
    "on: `pairpty",
    "attach",
    "pty-1`,",
    "`pairpty",
    "close pty-1`",
  ]);
});

test("C15 nothing is lost, and no line is wider than it must be", () => {
  const text = fc.array(fc.stringMatching(/^[a-z`;]{1,12}$/), { minLength: 1 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (words, width) => {
      const lines = wrapText(words.join(" "), width);
      expect(lines.join(" ")).toBe(words.join(" "));
      for (const line of lines) {
        expect(line.length <= width || !line.includes(" "), line).toBe(true);
      }
    }),
  );
});

test("C15 a table's last column breaks where the window is known and has room for it", () => {
  const rows = [
    ["relay", "http://127.0.0.1:1 (embedded, on this machine)"],
    ["link", "up"],
  ];
  expect(formatTable(undefined, rows)).toBe(
    "relay  http://127.0.0.1:1 (embedded, on this machine)\nlink   up",
  );
  expect(formatTable(undefined, rows, 38).split("\n")).toEqual([
    "relay  http://127.0.0.1:1 (embedded,",
    "       on this machine)",
    "link   up",
  ]);
  // A column that narrow is left to the terminal.
  expect(formatTable(undefined, rows, 20)).toBe(formatTable(undefined, rows));
});
