import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toDiffRuns } from "../approvals/question-subject.tsx";
import { diffLines, compareLines, countChanges } from "./line-diff.ts";

test("AC71 a change stands among the lines around it, with its place", () => {
  const before = "a\nb\nc\nd\ne\nf\ng\nh\n";
  const diff = diffLines(before, before.replace("e\n", "E\nE2\n"));
  expect(diff).toBe("@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+E2\n f\n g\n h\n");
  expect(countChanges(diff)).toEqual({ added: 2, removed: 1 });
  expect(toDiffRuns(diff).map(({ kind }) => kind)).toEqual([
    "place",
    "same",
    "removed",
    "added",
    "same",
  ]);
});

test("AC71 changes far from each other are apart; a new file is all added, the same file nothing", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `${at}`);
  const after = lines.with(2, "two").with(30, "thirty");
  expect(diffLines(lines.join("\n"), after.join("\n")).match(/^@@/gm)).toHaveLength(2);
  expect(diffLines(null, "a\nb")).toBe("@@ -1,0 +1,2 @@\n+a\n+b\n");
  expect(diffLines("a\n", "a\n")).toBe("");
});

test("AC71 texts too long to compare are shown as the one and the other", () => {
  const many = (name: string): string[] => Array.from({ length: 1500 }, (_, at) => `${name}${at}`);
  const lines = compareLines(["same", ...many("a")], ["same", ...many("b")]);
  expect(lines.length).toBe(3001);
  expect([lines[0]?.is, lines[1]?.is, lines.at(-1)?.is]).toEqual([" ", "-", "+"]);
});

test("AC71 what is compared has both texts, whole and in order", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "", "-", "+x"), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = compareLines(before, after);
      const without = (sign: string): string[] =>
        lines.filter(({ is }) => is !== sign).map((line) => line.text);
      expect([without("+"), without("-")]).toEqual([before, after]);
    }),
  );
});
