import fc from "fast-check";
import { expect, test } from "vitest";
import { countUnfinishedTail } from "../../protocol/text.ts";
import { PlainTextDecoder } from "./plain-text.ts";
import { runs } from "../../test/support/property-runs.ts";

/** Decodes in pieces that end between characters, as readers of a terminal do. */
function inPieces(bytes: Buffer, cuts: readonly number[]): string {
  const between = new PlainTextDecoder();
  let text = "";
  let at = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    const piece = bytes.subarray(at, Math.max(at, Math.min(cut, bytes.length)));
    const whole = piece.subarray(0, piece.length - countUnfinishedTail(piece));
    text += between.take(whole);
    at += whole.length;
  }
  return text;
}

const chars = (from: number, to: number, most: number) =>
  fc
    .array(fc.integer({ min: from, max: to }), { maxLength: most })
    .map((codes) => String.fromCharCode(...codes));
const final = fc.integer({ min: 0x40, max: 0x7e }).map((code) => String.fromCharCode(code));
const csi = fc
  .tuple(fc.constantFrom("\x1b[", "\u009b"), chars(0x30, 0x3f, 12), chars(0x20, 0x2f, 3), final)
  .map((parts) => parts.join(""));
const escape = fc
  .tuple(chars(0x20, 0x2f, 3), fc.integer({ min: 0x30, max: 0x7e }))
  .map(([between, last]) => `\x1b${between}${String.fromCharCode(last)}`)
  // These start longer sequences.
  .filter((text) => !["[", "]", "P", "X", "^", "_"].includes(text.slice(1)));
const payload = fc
  .string({ unit: "grapheme", maxLength: 30 })
  .filter((text) => !/\p{Cc}/u.test(text));
const end = fc.constantFrom("\x1b\\", "\u009c");
const string = fc
  .tuple(fc.constantFrom("\x1b]", "\u009d", "\x1bP1$r", "\u0090q"), payload, end)
  .map((parts) => parts.join(""));
/** SOS, PM, APC: xterm cancels these at a character beyond ASCII. */
const other = fc
  .tuple(fc.constantFrom("\x1bX", "\x1b^", "\x1b_", "\u009f"), chars(0x20, 0x7e, 30), end)
  .map((parts) => parts.join(""));
const title = payload.map((text) => `\x1b]0;user@host: ${text}\x07`);
const words = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((text) => text.replaceAll(/\p{Cc}/gu, "\r\n"));

test("S37 text among sequences comes out as the text alone, however it is split", () => {
  const part = fc.tuple(words, fc.oneof(csi, escape, string, other, title));
  const cuts = fc.array(fc.nat(300), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), words, cuts, (parts, last, where) => {
      const printed = Buffer.from(parts.flat().join("") + last);
      const text = parts.map(([word]) => word).join("") + last;
      expect(inPieces(printed, where)).toBe(text);
    }),
    runs(2_000),
  );
});

test("S37 reading from the middle goes on as reading from the start does", () => {
  const part = fc.oneof(words, csi, escape, string, other, title);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.nat(300), (parts, where) => {
      const bytes = Buffer.from(parts.join(""));
      const near = Math.min(where, bytes.length);
      const cut = near - countUnfinishedTail(bytes.subarray(0, near));
      const whole = new PlainTextDecoder();
      whole.take(bytes.subarray(0, cut));
      const rest = whole.take(bytes.subarray(cut));
      const between = new PlainTextDecoder();
      between.startAt(bytes, cut);
      expect(between.take(bytes.subarray(cut))).toBe(rest);
    }),
    runs(1_000),
  );
});

test.each([
  ["a colour that never ends", "a\x1b[31", "a"],
  ["a title that never ends", "a\x1b]0;b c", "a"],
  ["one broken off by CAN", "a\x1b[31\x18b", "ab"],
  ["one broken off by another", "a\x1b[3\x1b[1mb", "ab"],
  ["one broken off by a character", "a\x1b[3éb", "ab"],
  ["a C1 control alone", "a\u0085b", "ab"],
  ["characters that begin as C1 does", "«a» °", "«a» °"],
  ["a bell", "a\x07b\x07", "ab"],
  ["a bell behind a title that was broken off", "a\x1b]0;b\x18\x07c", "ac"],
  ["controls that print nothing", "a\0\x05\x0e\x0f\x11\x1f\x7fb", "ab"],
  ["what moves the cursor", "a\bb\tc\r\nd\ve\f", "a\bb\tc\r\nd\ve\f"],
])("S37 S38 %s", (_, printed, text) => {
  expect(inPieces(Buffer.from(printed), [])).toBe(text);
});
