// The known word nearest to a misspelt one.

import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearest } from "./nearest-word.ts";

const VERBS = ["start", "share", "ls", "status", "connect", "grants", "revoke"];

test("C63 one slip of a finger leads to the word meant; another word to none", () => {
  expect(nearest("satus", VERBS)).toBe("status");
  expect(nearest("strat", VERBS)).toBe("start");
  expect(nearest("sl", VERBS)).toBe("ls");
  expect(nearest("grant", VERBS)).toBe("grants");
  expect(nearest("banana", VERBS)).toBeUndefined();
  expect(nearest("", VERBS)).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
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
