import fc from "fast-check";
import { expect, test } from "vitest";
import { wrap } from "./wrap.ts";

const SENTENCE = "detached; pty-1 runs on: `pairpty attach pty-1`, `pairpty close pty-1`";

test("C15 lines break between words, and commands stay whole where they fit", () => {
  expect(wrap(SENTENCE, 200)).toEqual([SENTENCE]);
  expect(wrap(SENTENCE, 26)).toEqual([
    "detached; pty-1 runs on:",
    "`pairpty attach pty-1`,",
    "`pairpty close pty-1`",
  ]);
  expect(wrap(SENTENCE, 12)).toEqual([
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
      const lines = wrap(words.join(" "), width);
      expect(lines.join(" ")).toBe(words.join(" "));
      for (const line of lines) {
        expect(line.length <= width || !line.includes(" "), line).toBe(true);
      }
    }),
  );
});
