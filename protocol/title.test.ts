import { expect, test } from "vitest";
import { cleanTitle, getTitleError } from "./title.ts";

test("W2 a title from a program is plain text of a bounded length", () => {
  expect(cleanTitle("a\u0007b\u202Ec\n d")).toBe("a b c d");
  const long = cleanTitle("👍".repeat(100));
  expect(long.endsWith("…")).toBe(true);
  expect(long.length).toBeLessThanOrEqual(60);
  expect(/\p{Surrogate}/u.test(long)).toBe(false);
});

test("GR18 a name has something to see and no half characters", () => {
  for (const name of ["", "web", "é", "e\u0301", "日本", "👩‍👩‍👧‍👦", "❤\uFE0F", "a\u200Cb"])
    expect(getTitleError(name), name).toBeUndefined();
  for (const name of [
    "\u200B",
    "\u3164",
    "\u2800",
    "\u2060\u115F",
    "\u0301",
    "\u{E0041}",
    "\uE000",
  ])
    expect(getTitleError(name), name).toContain("visible character");
  for (const name of ["\uD800", "a\uDC00b"])
    expect(getTitleError(name)).toContain("half of a surrogate pair");
});
