import * as fc from "fast-check";
import { expect, test } from "vitest";
import { match } from "./match.ts";

const best = (typed: string, ...texts: string[]): string | undefined =>
  texts
    .flatMap((text) => {
      const found = match(typed, text);
      return found ? { text, score: found.score } : [];
    })
    .toSorted((a, b) => b.score - a.score)[0]?.text;

test("FR13 beginnings of words and runs of letters fit better than letters here and there", () => {
  expect(best("ot", "Copy the output", "Open a terminal")).toBe("Open a terminal");
  expect(best("next", "Not an extension", "Next tab")).toBe("Next tab");
  expect(best("tab prev", "Next tab", "Previous tab")).toBe("Previous tab");
  expect(best("tab", "Previous tab", "Next tab")).toBe("Next tab");
  expect(match("xyz", "Open a terminal")).toBeUndefined();
  expect(match("OPEN", "open")?.matchedAt).toEqual([0, 1, 2, 3]);
  expect(match("  ", "anything")?.matchedAt).toEqual([]);
});

test("FR13 what fits are letters of the text, in their order, and every text fits itself", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 6 }), (text, typed) => {
      const found = match(typed, text);
      const lower = text.toLowerCase();
      if (!found || lower.length !== text.length) return;
      for (const at of found.matchedAt) expect(typed.toLowerCase()).toContain(lower[at]);
      expect([...found.matchedAt]).toEqual([...new Set(found.matchedAt)].toSorted((a, b) => a - b));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]{1,30}$/), (text) => {
      expect(match(text, text)).toBeDefined();
    }),
  );
});
