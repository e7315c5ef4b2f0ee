// The cost of an expression is known before it is compiled.

import fc from "fast-check";
import { RE2JS } from "re2js";
import { afterEach, expect, test, vi } from "vitest";
import { estimateCost, compileExpression } from "./patterns.ts";

afterEach(() => void vi.restoreAllMocks());

const COSTLY = [
  "(((a{1000}){1000}){1000})",
  "(?:(?:(?:a{9}){9}){9}){9}",
  "(?:a?a?a?a?a?a?a?a?a?a?){0,1000}".repeat(31),
  "a{0,1000}".repeat(100),
  ".{1000}".repeat(140),
  "(a?){1000}".repeat(90),
  "\\pL{1000}[^\\pN]{1000}".repeat(20),
  "[]]{1000}[^]a]{1000}[[:alpha:]]{1000}\\]{999}x{999}",
  "\\Qa{3}\\E{1000}\\x{41}{1000}\\p{L}{1000}\\pN{1000}.{1000}",
  "(?P<name>a{500}){0,90}",
  "a{99999999999}",
  "(a{1000})\\Q\\E{1000}",
  `(?i)[${"Ā-\u{1e920}".repeat(240)}]`,
  "(?i)".concat("[^\\x{100}-\\x{1e920}]".repeat(40)),
];

test("Y107 what would be too large is refused before it is compiled, with what to do", () => {
  const compile = vi.spyOn(RE2JS, "compile");
  for (const pattern of COSTLY) {
    const refusal = compileExpression(pattern, 200);
    expect(refusal).toMatch(/^The pattern ".{1,70}" is too costly.*(repeat less|fewer ranges)/);
  }
  expect(compile).not.toHaveBeenCalled();
});

test("Y29 what is small is compiled, however it is written", () => {
  for (const pattern of [
    "^(?:error|warning)\\b.*\\[[^\\]]{1,20}\\]$",
    "(?i)listening on .*:(\\d{2,5})",
    "(?i)[а-яё]+ \\x{1F600} [\\p{Greek}a-z]{3,8}",
    "\\Q{1000}\\E",
    "[{1000}]a",
    "\\{1000}",
    "a{,1000}",
    "x{1000",
    "(?:(?:ab){3}){3}",
    "x".repeat(190),
  ]) {
    const compiled = compileExpression(pattern, 200);
    expect(typeof compiled === "string" ? compiled : compiled.steps, pattern).toBeTypeOf("number");
  }
});

test("Y29 no pattern of 1,000 characters is over the estimate without a counted repetition", () => {
  for (const piece of [
    "a",
    "a*",
    "(a)",
    "()",
    "a|",
    "|",
    "(|)",
    "a??",
    "(?:a?)*",
    "\\b",
    "[a]",
    "(?i)k",
  ]) {
    const pattern = piece.repeat(Math.floor(1_000 / piece.length));
    expect(estimateCost(pattern).steps, piece).toBeLessThan(4_000);
  }
});

const ATOMS = [
  "a",
  "é",
  "😀",
  ".",
  "^",
  "$",
  "\\b",
  "\\d",
  "\\pL",
  "\\p{Greek}",
  "\\x{41}",
  "\\x41",
];
const CLASSES = ["[a-z]", "[^]x]", "[]]", "[[:alpha:]{9}]", "[\\]{9}]", "[^\\pL(]", "[\\x{41}-z]"];
const QUOTED = ["\\Qa{9}(\\E", "\\Q\\E", "\\{9}", "{9", "{,9}", "\\101"];
const REPEATS = [
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "??",
  "{0}",
  "{1}",
  "{0,1}",
  "{2}",
  "{3,}",
  "{0,}",
  "{2,5}",
  "{0,4}?",
  "{7}",
];
const GROUPS = ["(", "(?:", "(?i:", "(?P<n>", "(?<m>", "(?i)(", "(?U:"];

const expression = fc.letrec<{ whole: string; one: string; atom: string }>((tie) => ({
  whole: fc
    .array(tie("one"), { maxLength: 4 })
    .chain((ones) => fc.constantFrom("", "|").map((between) => ones.join(between))),
  one: fc
    .tuple(tie("atom"), fc.option(fc.constantFrom(...REPEATS), { nil: "" }))
    .map((both) => both.join("")),
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...ATOMS, ...CLASSES, ...QUOTED),
    fc.tuple(fc.constantFrom(...GROUPS), tie("whole")).map(([open, inside]) => `${open}${inside})`),
  ),
})).whole;

/** Pieces in any order: valid expressions, and text that only looks like one. */
const soup = fc
  .array(
    fc.constantFrom(
      ...ATOMS,
      ...CLASSES,
      ...QUOTED,
      ...REPEATS,
      ...GROUPS,
      ")",
      "|",
      "[",
      "]",
      "\\Q",
      "\\E",
      "\\",
      "-",
      "{",
      "}",
      "[:",
      ":]",
      "^",
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(""));

function compiledSteps(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern, RE2JS.MULTILINE).programSize();
  } catch {
    return undefined;
  }
}

test("Y29 the estimate is never below the compiled size, whatever is written", () => {
  let compiled = 0;
  const isBounded = (pattern: string) => {
    const { steps } = estimateCost(pattern);
    const real = steps > 20_000 ? undefined : compiledSteps(pattern);
    if (real === undefined) return;
    compiled += 1;
    expect(steps, pattern).toBeGreaterThanOrEqual(real);
  };
  fc.assert(fc.property(expression, isBounded), { numRuns: 4_000 });
  fc.assert(fc.property(soup, isBounded), { numRuns: 4_000 });
  expect(compiled).toBeGreaterThan(2_000);
});

test("Y108 a pattern that a call repeats is compiled once", () => {
  const compile = vi.spyOn(RE2JS, "compile");
  const first = compileExpression("once (only)+", 200);
  for (let call = 0; call < 5; call++) expect(compileExpression("once (only)+", 200)).toBe(first);
  expect(compile).toHaveBeenCalledTimes(1);
  for (let other = 0; other < 40; other++) compileExpression(`another ${other}`, 200);
  compileExpression("once (only)+", 200);
  expect(compile).toHaveBeenCalledTimes(42);
});
