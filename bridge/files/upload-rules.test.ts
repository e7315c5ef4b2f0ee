// Names of files from the page: property tests, and hostile names.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cleanFileName, withNumber } from "./upload-rules.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

const HOSTILE = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom("..", "/", "\\", "-", ".", " ", "\n", "\u202E", "\0", "a", "😀"))
    .map((parts) => parts.join("")),
);

test("FI1 whatever it is given, a name is one plain name that a folder takes", () => {
  fc.assert(
    fc.property(HOSTILE, fc.integer({ min: 1, max: 9_999 }), (given, number) => {
      for (const name of [cleanFileName(given), withNumber(cleanFileName(given), number)]) {
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(name).toMatch(/^[^-. ]/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(130);
        expect(name.isWellFormed()).toBe(true);
      }
      expect(cleanFileName(cleanFileName(given))).toBe(cleanFileName(given));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["screenshot.png", "screenshot.png"],
  ["../../x", "x"],
  ["C:\\Users\\ada\\plan.pdf", "plan.pdf"],
  ["..", "file"],
  ["", "file"],
  [".bashrc", "bashrc"],
  ["-rf", "rf"],
  ["--help.txt", "help.txt"],
  ["\u202Egnp.exe", "gnp.exe"],
  ["a\nb\u001B[2J.png", "ab[2J.png"],
  ["two  words.md", "two words.md"],
  ["\u1CD0\u200B\u0F71", "\u0F71\u1CD0"],
  ["naïve.txt", "naïve.txt"],
  [`${"x".repeat(300)}.png`, `${"x".repeat(116)}.png`],
])("FI1 %j becomes %j", (given, name) => {
  expect(cleanFileName(given)).toBe(name);
});

test("FI2 the second file of a name gets a number before its ending", () => {
  expect([1, 2, 3].map((number) => withNumber("shot.tar.gz", number))).toEqual([
    "shot.tar.gz",
    "shot.tar-2.gz",
    "shot.tar-3.gz",
  ]);
  expect(withNumber("notes", 2)).toBe("notes-2");
});
