// How much of a search runs per turn, and that it finds everything.

import fc from "fast-check";
import { expect, test } from "vitest";
import { findMatchingLines, OVERLAP_CHARS, PatternSearch } from "./pattern-search.ts";

const NEVER = new AbortController().signal;
const MAX_WORK = 2e6;

/** A matcher that counts the characters it searches, per turn of the event loop. */
function counting(steps: number, word = "needle") {
  const inTurn: number[] = [];
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const look = (text: string) => {
    inTurn[turn] = (inTurn[turn] ?? 0) + text.length * steps;
    return text.includes(word);
  };
  const end = () => clearImmediate(next);
  return { matches: Object.assign(look, { steps }), inTurn, end };
}

test("Y30 the text that one turn looks at shrinks with the pattern's steps, for one line as for many", async () => {
  for (const steps of [1, 20, 200]) {
    for (const text of ["x".repeat(1 << 20), "some line of text\n".repeat(50_000)]) {
      for (const found of [true, false]) {
        const { matches, inTurn, end } = counting(steps, found ? "needle" : "x");
        await new PatternSearch(matches, () => false).search(text);
        await findMatchingLines(text, matches, 1_000, NEVER);
        end();
        expect(Math.max(...inTurn.filter(Boolean))).toBeLessThanOrEqual(MAX_WORK);
      }
    }
  }
});

test("Y30 searches take turns: a hundred together do no more in a turn than one", async () => {
  const { matches, inTurn, end } = counting(200);
  const searches = Array.from({ length: 100 }, () => new PatternSearch(matches, () => false));
  expect(await Promise.all(searches.map((one) => one.search("x".repeat(20_000))))).not.toContain(
    true,
  );
  end();
  expect(Math.max(...inTurn.filter(Boolean))).toBeLessThanOrEqual(MAX_WORK);
});

test("Y109 a small text needs no turn, whoever else is searching", async () => {
  const costly = counting(200);
  const long = new PatternSearch(costly.matches, () => false).search("x".repeat(1 << 20));
  const { matches, inTurn, end } = counting(1);
  expect(await new PatternSearch(matches, () => false).search("a needle")).toBe(true);
  expect(inTurn).toHaveLength(1);
  end();
  expect(await long).toBe(false);
  costly.end();
});

test("Y30 a match is found wherever it stands, on the edge of a piece too", async () => {
  const places = fc.record({
    at: fc.nat(70_000),
    length: fc.integer({ min: 1, max: OVERLAP_CHARS }),
    steps: fc.constantFrom(1, 100, 200),
  });
  await fc.assert(
    fc.asyncProperty(places, async ({ at, length, steps }) => {
      const word = "n".repeat(length);
      const text = `${"x".repeat(at)}${word}${"x".repeat(30_000)}`;
      const matches = Object.assign((piece: string) => piece.includes(word), { steps });
      expect(await new PatternSearch(matches, () => false).search(text)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
