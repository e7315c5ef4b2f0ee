import fc from "fast-check";
import { expect, test } from "vitest";
import { readAll, readSlice } from "./terminal-text.ts";

const getText = (text: string) => ({ offset: 0, bytes: Buffer.from(text) });

test("Y25 the last lines are whole lines, counted from the end", () => {
  const line = fc.constantFrom("", "a", "漢字", "long line");
  fc.assert(
    fc.property(
      fc.array(line),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      (all, isOpen, lines) => {
        const text = all.join("\n") + (isOpen ? "" : "\n");
        const read = readSlice(getText(text), { lines }, true);
        const whole = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
        expect(read.text.replace(/\n$/, "")).toBe(whole.slice(-lines).join("\n"));
        expect(read.next).toBe(Buffer.byteLength(text));
      },
    ),
  );
});

test("Y25 lines and bytes both bound a read, and an offset may be later than either", () => {
  const text = getText("one\ntwo\nthree\nfour\n");
  expect(readSlice(text, { lines: 2 }, true)).toMatchObject({ text: "three\nfour\n", offset: 8 });
  expect(readSlice(text, { lines: 3, maxBytes: 7 }, true).text).toBe("e\nfour\n");
  expect(readSlice(text, { lines: 9, offset: 14 }, true).text).toBe("four\n");
});

test("Y25 everything from an offset on is text, without what is not whole yet", () => {
  const bytes = Buffer.from("\u001B[1mone\u001B[0m\ntwo漢");
  const retained = { offset: 0, bytes: bytes.subarray(0, -1) };
  expect(readAll(retained, undefined, false)).toMatchObject({
    text: "one\ntwo",
    next: bytes.length - 3,
  });
  expect(readAll(retained, 9, false).text).toBe("\ntwo");
});
