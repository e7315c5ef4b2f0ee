import fc from "fast-check";
import { expect, test } from "vitest";
import { CONTEXT_LINES, findMatchingLines } from "./pattern-search.ts";

const NEVER = new AbortController().signal;

test("Y141 every line that matches is there with those around it, in their order", async () => {
  const lines = fc.array(fc.constantFrom("hit", "a", "", "bb"), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const found = await findMatchingLines(
        all.join("\n"),
        (text) => text.includes("hit"),
        1e6,
        NEVER,
      );
      const isHit = (line: string | undefined) => line === "hit";
      const isNear = (at: number) =>
        all.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(isHit);
      const wanted = all.filter((_, at) => isNear(at));
      const matched = found.text.split("\n").slice(0, -1);
      expect(matched.filter((line) => line !== "--")).toEqual(wanted);
      expect([found.matches, found.shown]).toEqual([
        all.filter(isHit).length,
        all.filter(isHit).length,
      ]);
    }),
  );
});

test("Y141 where not all fit, the last ones are shown", async () => {
  const text = Array.from({ length: 5_000 }, (_, line) => `error ${line}`).join("\n");
  const found = await findMatchingLines(text, (piece) => piece.includes("error"), 200, NEVER);
  expect(found.matches).toBe(5_000);
  expect(found.shown).toBeGreaterThan(3);
  expect(found.text.length).toBeLessThanOrEqual(200);
  expect(found.text).toMatch(/error 4998\nerror 4999\n$/);
});

test("Y142 no one looks on when the caller has left", async () => {
  let looks = 0;
  const leaving = new AbortController();
  const text = "x\n".repeat(1 << 20);
  const look = () => {
    looks += 1;
    leaving.abort();
    return false;
  };
  expect(await findMatchingLines(text, look, 100, leaving.signal)).toMatchObject({ matches: 0 });
  expect(looks).toBe(1);
});
