// Lines, however the bytes are split into chunks.

import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

test("E17 lines come out alike however their bytes are split, characters among them", () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 20 });
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(text, cuts, (given, steps) => {
      const wanted = given.map((line) => line.replaceAll("\n", ""));
      const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
      const lines = new LineSplitter(1_000);
      const got: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const step = steps[turn % steps.length] ?? 1;
        got.push(...(lines.push(bytes.subarray(at, at + step)) ?? expect.unreachable("too long")));
        at += step;
      }
      expect(got).toEqual(wanted);
    }),
  );
});

test("E17 a line without an end is given up at its limit, in pieces too", () => {
  const lines = new LineSplitter(10);
  expect(lines.push(Buffer.from("0123456789"))).toEqual([]);
  expect(lines.push(Buffer.from("x"))).toBeUndefined();
  expect(new LineSplitter(10).push(Buffer.from("short\n0123456789x"))).toBeUndefined();
});
