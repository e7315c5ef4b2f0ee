import { expect, test } from "vitest";
import { isSurelyComplete } from "../policy/line-completeness.ts";
import { findReadings, isAnythingSent, MAX_READINGS } from "./line-readings.ts";
import type { SentLine } from "./pending-line.ts";

const known = (text: string): SentLine => ({ kind: "known", text });
const unknown = (typed: string): SentLine => ({ kind: "unknown", typed, why: "reader" });
const find = (...sent: SentLine[]) => {
  const text = sent.map((line) => (line.kind === "known" ? line.text : line.typed)).join("\n");
  return findReadings({ sent, text, isCut: false }, { isSurelyComplete });
};

test("Y100 a known line has one reading; one that is not known has every end part of it, too", () => {
  expect(isAnythingSent([])).toBe(false);
  expect(isAnythingSent([known(""), known(" ")])).toBe(false);
  // An Enter alone may run what another caller has typed.
  expect(isAnythingSent([unknown("")])).toBe(true);
  expect(find(known("cd a"), known("ls"))).toEqual({
    typed: "cd a\nls",
    alternatives: [],
    isCut: false,
  });
  expect(find(unknown("qrm x")).alternatives).toEqual(["rm x", "m x", " x", "x"]);
  expect(find(unknown("echo '\nls '; rm x")).alternatives).toContain(" rm x");
});

test("Y100 a line with more readings than are judged is cut", () => {
  expect(find(unknown("x".repeat(MAX_READINGS - 1))).isCut).toBe(false);
  const long = find(unknown(`${"j".repeat(MAX_READINGS)}qrm x`));
  expect(long.isCut).toBe(true);
  expect(long.alternatives.length).toBeLessThanOrEqual(MAX_READINGS);
});
