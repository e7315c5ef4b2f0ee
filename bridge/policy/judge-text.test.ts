import fc from "fast-check";
import { expect, test } from "vitest";
import { hasUnportableDelimiter, hasQuoteInBraces } from "./judge-text.ts";
import { runs } from "../../test/support/property-runs.ts";

const QUOTE_IN_BRACES = /"[^]*\$\{[^}]*'/;
const ODD_END = /<<-?\s*\S*\$['"]/;

const texts = (...parts: string[]) =>
  fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((some) => some.join(""));

test("A14 one pass finds what the expressions find", () => {
  fc.assert(
    fc.property(texts('"', "'", "$", "{", "}", "${", "a", "\n"), (text) => {
      expect(hasQuoteInBraces(text)).toBe(QUOTE_IN_BRACES.test(text));
    }),
    runs(2_000),
  );
  fc.assert(
    fc.property(texts("<", "<<", "-", " ", "\n", "$", "'", '"', "a"), (text) => {
      expect(hasUnportableDelimiter(text)).toBe(ODD_END.test(text));
    }),
    runs(2_000),
  );
});

test.each([
  ['"', 65_000],
  ["<<", 32_000],
  ["<<x", 20_000],
  ['"${a ', 13_000],
])("A14 %j, as often as a command can hold it, is read in one pass", (part, count) => {
  const text = part.repeat(count);
  expect([hasQuoteInBraces(text), hasUnportableDelimiter(text)]).toEqual([false, false]);
});
