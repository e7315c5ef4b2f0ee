// The rules of docs/spec and the tests belong together: no rule without a test, no test without a rule.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatSpecIndex, listSpecPages } from "../scripts/spec-index.mjs";
import { listRules } from "./support/spec.ts";

const PARTS = ["bench", "bridge", "protocol", "relay", "scripts", "test", "web"];
/** A family is one letter or two. */
const RULE = /^[A-Z]{1,2}\d+$/;
const MAX_RULE_WORDS = 40;
/** A test by its call; behind `each` and the like the title is in the next call. */
const TITLE =
  /^ *(?:test|it)(?:\.concurrent)?(?:\.(?:each|skipIf)(?:<.*?>)?\([^]*?\))?\(\s*(["'`])(.*?)\1/gm;
/** Its rules stand in its data. */
const HOSTILE = { title: "$rule blocks: $why", data: "test/fixtures/hostile-commands.json" };

const rules = listRules();
const known = new Set(rules.map(({ name }) => name));

const files = PARTS.flatMap((part) =>
  readdirSync(part, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => ({ file: join(part, name), text: readFileSync(join(part, name), "utf8") })),
);
const titles = files.flatMap(({ file, text }) =>
  [...text.matchAll(TITLE)].map(([, , title = ""]) => ({ file, title })),
);

/** The rules that a title starts with. */
function parseRules(title: string): string[] {
  const words = title.split(/[ :]+/);
  const end = words.findIndex((word) => !RULE.test(word));
  return end === -1 ? words : words.slice(0, end);
}

test("X5 rules ascend within their family, and a page has one family", () => {
  const families = new Map(listSpecPages().map(({ path, family }) => [path, family]));
  expect(new Set(families.values()).size).toBe(families.size);
  const wrong = rules.filter(({ family, number, page }, index) => {
    const last = rules[index - 1];
    return family !== families.get(page) || (last?.page === page && last.number >= number);
  });
  expect(wrong).toEqual([]);
});

test("X5 a rule has at most 40 words", () => {
  const long = rules
    .map(({ name, text }) => ({ name, words: text.split(/\s+/).length }))
    .filter(({ words }) => words > MAX_RULE_WORDS);
  expect(long).toEqual([]);
});

test("X5 SPEC.md is the index of the pages", () => {
  expect(readFileSync("SPEC.md", "utf8")).toBe(formatSpecIndex());
});

test("X25 each test's name starts with a rule", () => {
  const calls = files.flatMap(({ text }) => text.match(/^ *(?:test|it)[.(]/gm) ?? []);
  expect(titles.length).toBe(calls.length);
  const without = titles.filter(({ title }) => {
    const named = parseRules(title);
    return title !== HOSTILE.title && (named.length === 0 || named.some((one) => !known.has(one)));
  });
  expect(without).toEqual([]);
});

test("X25 each rule has a test", () => {
  const hostile = JSON.parse(readFileSync(HOSTILE.data, "utf8")) as { rule: string }[];
  const tested = new Set([
    ...titles.flatMap(({ title }) => parseRules(title)),
    ...hostile.map(({ rule }) => rule),
  ]);
  expect([...known].filter((rule) => !tested.has(rule))).toEqual([]);
});
