import { expect, test } from "vitest";
import { plainTitle } from "./title.ts";

test("W2 a title from a program is plain text of a bounded length", () => {
  expect(plainTitle("a\u0007b\u202Ec\n d")).toBe("a b c d");
  const long = plainTitle("👍".repeat(100));
  expect(long.endsWith("…")).toBe(true);
  expect(long.length).toBeLessThanOrEqual(60);
  expect(/\p{Surrogate}/u.test(long)).toBe(false);
});
