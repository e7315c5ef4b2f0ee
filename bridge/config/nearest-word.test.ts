// The known word nearest to a misspelt one.

import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, findNearestWord } from "./nearest-word.ts";

const VERBS = ["start", "share", "ls", "status", "connect", "grants", "revoke"];

test("C63 one slip of a finger leads to the word meant; another word to none", () => {
  expect(findNearestWord("satus", VERBS)).toBe("status");
  expect(findNearestWord("strat", VERBS)).toBe("start");
  expect(findNearestWord("sl", VERBS)).toBe("ls");
  expect(findNearestWord("grant", VERBS)).toBe("grants");
  expect(findNearestWord("banana", VERBS)).toBeUndefined();
  expect(findNearestWord("", VERBS)).toBeUndefined();
  expect(findNearestWord("x", [])).toBeUndefined();
});

test("C63 the distance is zero for the same, the same both ways, and never over the longer one", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(editDistance(a, a)).toBe(0);
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
