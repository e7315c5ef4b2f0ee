import fc from "fast-check";
import { expect, test } from "vitest";
import { HISTORY_NEWLINE_REACH } from "./limits.ts";
import { toBytes, toText, findCharacterStart, findTailStart, countUnfinishedTail } from "./text.ts";
import { anyCharacter } from "../test/support/any-character.ts";

const text = fc.string({ unit: anyCharacter, maxLength: 60 }).map((value) => value.toWellFormed());

test("P5 text cut anywhere and joined at its unfinished tails is the same text", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 300 })), (value, cuts) => {
      const bytes = toBytes(value);
      let held = new Uint8Array();
      let got = "";
      let last = 0;
      for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
        const end = Math.max(last, Math.min(cut, bytes.length));
        const all = Buffer.concat([held, bytes.subarray(last, end)]);
        const whole = all.length - countUnfinishedTail(all);
        got += toText(all.subarray(0, whole));
        held = new Uint8Array(all.subarray(whole));
        last = end;
      }
      expect(got + toText(held)).toBe(value);
    }),
  );
});

test("P5 a tail is at most three bytes, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      expect(countUnfinishedTail(bytes)).toBeLessThanOrEqual(Math.min(3, bytes.length));
    }),
  );
});

test("P6 a view of the end starts at a character and is no longer than asked", () => {
  fc.assert(
    fc.property(text, fc.nat({ max: 100 }), (value, most) => {
      const bytes = toBytes(value);
      const start = findTailStart(bytes, most);
      expect(findCharacterStart(bytes, start)).toBe(start);
      expect(bytes.length - start).toBeLessThanOrEqual(Math.max(most, 0));
      expect(value.endsWith(toText(bytes.subarray(start)))).toBe(true);
    }),
  );
});

test("P6 it starts behind a newline that is near, and not for one that is far", () => {
  const near = toBytes(`${"a".repeat(100)}\n${"b".repeat(50)}`);
  expect(toText(near.subarray(findTailStart(near, 60)))).toBe("b".repeat(50));
  const far = toBytes(`${"a".repeat(HISTORY_NEWLINE_REACH + 10)}\nb`);
  expect(findTailStart(far, far.length - 1)).toBe(1);
});
