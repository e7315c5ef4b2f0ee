// Owns any character of Unicode, for random texts. fast-check's own unit "binary" makes a table of
// all million of them first, which takes a second in each process that wants one.

import fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES })
  .map(
    (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
    // So that fast-check also tries the texts that it knows to be dangerous.
    (value) => getNumber(value),
  );

function getNumber(value: unknown): number {
  const code = typeof value === "string" ? value.codePointAt(0) : undefined;
  if (code === undefined || value !== String.fromCodePoint(code)) throw new Error("no character");
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
