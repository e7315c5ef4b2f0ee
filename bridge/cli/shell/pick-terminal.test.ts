import { expect, test } from "vitest";
import { UserError } from "../../errors.ts";
import { pickTerminal } from "./pick-terminal.ts";

const ONE = { id: "pty-2f00aa11bb22", number: 1 };
const TWO = { id: "pty-af1e00112233", number: 2 };
const OLD = { id: "pty-af9900112233" };

/** The id, or what is said instead. */
function picked(word: string | undefined, open: readonly { id: string; number?: number }[]) {
  try {
    return pickTerminal(open, word).id;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

test("C28 a terminal is named by its number, its id or the beginning of that", () => {
  const all = [ONE, TWO, OLD];
  expect(picked("1", all)).toBe(ONE.id);
  expect(picked(TWO.id, all)).toBe(TWO.id);
  expect(picked("af1e", all)).toBe(TWO.id);
  expect(picked("pty-af9", all)).toBe(OLD.id);
  // The number wins: it is what people see.
  expect(picked("2", all)).toBe(TWO.id);
  expect(picked("02", all)).toBe('there is no terminal "02"');
});

test("C84 a number is a tab's alone, and the start of an id without pty- has four characters", () => {
  const digits = { id: "pty-800712345678", number: 3 };
  const all = [ONE, TWO, OLD, digits];
  for (const word of ["8", "8007", "800712345678", "a", "af1", "2f0"])
    expect(picked(word, all)).toBe(`there is no terminal "${word}"`);
  expect(picked("2", [ONE, OLD])).toBe('there is no terminal "2"');
  expect(picked("pty-8", all)).toBe(digits.id);
  expect(picked("af99", all)).toBe(OLD.id);
});

test("C28 C86 without a word it is the only one; else it is said what is there", () => {
  expect(picked(undefined, [ONE])).toBe(ONE.id);
  expect(picked(undefined, [])).toBe("there are no open terminals");
  expect(picked(undefined, [ONE, TWO])).toBe("2 terminals are open: name one");
  expect(picked("3", [ONE, TWO])).toBe('there is no terminal "3"');
  expect(picked("pty-af", [ONE, TWO, OLD])).toBe('2 terminals match "pty-af"');
  // As of a variable that is not set: it must not end what happens to be the only one.
  for (const word of ["", "pty-"])
    expect(picked(word, [ONE])).toBe(`there is no terminal "${word}"`);
});
