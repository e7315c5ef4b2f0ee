import fc from "fast-check";
import { expect, test } from "vitest";
import { toPlainText } from "../reading/terminal-text.ts";
import { vtStream } from "../../test/support/vt-streams.ts";
import type { KeptPiece } from "../commands/kept-output.ts";
import { KeptOutput } from "../commands/kept-output.ts";
import { crop, findWholeEnd } from "./crop.ts";

const stream = fc
  .array(fc.oneof(vtStream, fc.string({ unit: "grapheme" }), fc.constant("漢字\r\n")), {
    maxLength: 8,
  })
  .map((parts) => Buffer.from(parts.join("")));

const BROKEN = "\uFFFD";

test("Y12 head, cut and tail add up to every byte, in whole characters, within the limit", () => {
  const kept = fc.record({
    head: fc.integer({ min: 1, max: 300 }),
    tail: fc.integer({ min: 1, max: 300 }),
  });
  fc.assert(
    fc.property(stream, kept, fc.integer({ min: 1, max: 200 }), (bytes, sizes, most) => {
      const output = new KeptOutput(sizes);
      output.append(bytes);
      const pieces = output.read();
      const to = findWholeEnd(pieces, bytes.length, true);
      const { head, cut, tail } = crop(pieces, 0, to, most);
      expect(head.length + tail.length).toBeLessThanOrEqual(most);
      const [headTo, tailFrom] = cut === undefined ? [to, to] : [cut.from, cut.to];
      expect(head).toBe(toPlainText(bytes, 0, headTo));
      const isWhole = (at: number) => ((bytes[at] ?? 0) & 0xc0) !== 0x80;
      expect(isWhole(headTo)).toBe(true);
      expect(isWhole(tailFrom)).toBe(true);
      if (cut === undefined) return;
      expect(cut.to).toBeGreaterThan(cut.from);
      // Lost bytes are not shown, and bytes before a loss do not affect the text.
      const known = pieces.findLast(({ offset }) => offset <= tailFrom);
      if (known !== undefined && tail !== "") {
        expect(tail).toBe(toPlainText(known.bytes, tailFrom - known.offset, known.bytes.length));
      }
      if (!bytes.includes(BROKEN)) expect(head + tail).not.toContain(BROKEN);
    }),
    { numRuns: 400 },
  );
});

const toPiece = (text: string, offset = 0): KeptPiece => ({ offset, bytes: Buffer.from(text) });

test("Y12 what fits is not cut, and what does not keeps its beginning and more of its end", () => {
  const short = "\x1b[31mred\x1b[0m\r\nline\r\n";
  expect(crop([toPiece(short)], 0, short.length, 9)).toEqual({
    head: "red\nline\n",
    cut: undefined,
    tail: "",
  });
  const long = Array.from({ length: 1_000 }, (_, line) => `line ${line}\n`).join("");
  const { head, cut, tail } = crop([toPiece(long)], 0, long.length, 100);
  expect(head).toBe("line 0\nline 1\nline 2");
  expect(tail).toMatch(/^line 99\d\n(?:line 99\d\n)+$/);
  expect(head.length + (cut?.to ?? 0) - (cut?.from ?? 0) + tail.length).toBe(long.length);
});

test("Y12 new output begins where the last one ended, also inside a sequence", () => {
  const text = "before\x1b[31mafter";
  const inside = text.indexOf("1mafter");
  expect(crop([toPiece(text)], inside, text.length, 100).head).toBe("after");
});

test("Y81 a character whose rest has not come yet is left for the next call", () => {
  const bytes = Buffer.from("a漢");
  const pieces = [{ offset: 10, bytes: bytes.subarray(0, 3) }];
  expect(findWholeEnd(pieces, 13, false)).toBe(11);
  expect(findWholeEnd(pieces, 13, true)).toBe(13);
});
