import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapeUnsafe } from "./format-text.ts";
import { anyCharacter } from "../../../test/support/any-character.ts";

const BIDI = "\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C";

test("C25 nothing that steers a terminal or turns letters around is left", () => {
  for (const letter of `${BIDI}\u200B\uFEFF\u2028\u001B\u0007\u007F\u009B`) {
    const code = letter.charCodeAt(0).toString(16).padStart(4, "0");
    expect(escapeUnsafe(`a${letter}b`)).toBe(`a\\u${code}b`);
  }
  expect(escapeUnsafe("a\u{E0041}b")).toBe("a\\udb40\\udc41b");
  expect(escapeUnsafe("zwölf 日本 😀\n\tnext")).toBe("zwölf 日本 😀\n\tnext");
});

test("C25 JSON means the same afterwards", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })),
      (value) => {
        const text = escapeUnsafe(JSON.stringify(value));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u);
      },
    ),
  );
});
