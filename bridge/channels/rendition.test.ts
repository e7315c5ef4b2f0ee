import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { toBytes } from "../../protocol/text.ts";
import { FRAME_HEADER_BYTES } from "../../protocol/frame.ts";
import { OUTPUT_HEADER_BYTES } from "../../protocol/output.ts";
import { SEALED_OUTPUT_OVERHEAD } from "../../protocol/sealed/output-record.ts";
import { RECORD_OVERHEAD } from "../../protocol/sealed/record.ts";
import { encodePieces } from "./rendition.ts";

const wording = (text: string, offset: number, next: number) =>
  JSON.stringify({ data: text, offset, next });

test("D3 pieces join to the same text, each fits a frame, and offsets have no hole", () => {
  const bad = fc.constantFrom("\u001b[31m", "é", "😀", "\u0000", "plain ");
  fc.assert(
    fc.property(bad, fc.integer({ min: 1, max: 60_000 }), fc.nat(), (unit, times, offset) => {
      const text = unit.repeat(times);
      const pieces = encodePieces(toBytes(text), offset, wording);
      let at = offset;
      let joined = "";
      for (const piece of pieces) {
        expect(piece.body.length).toBeLessThanOrEqual(MAX_FRAME_PAYLOAD - 12);
        const message = JSON.parse(piece.body.toString());
        expect([message.offset, message.next]).toEqual([at, at + piece.span]);
        joined += message.data;
        at += piece.span;
      }
      expect(joined).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test("SE39 the largest piece fits a frame when it is sealed, as output and as a record", () => {
  const wordless = (text: string) => text;
  const sizes = Array.from({ length: 80 }, (_each, n) => {
    const text = "x".repeat(MAX_FRAME_PAYLOAD - n);
    return encodePieces(toBytes(text), 0, wordless).map(({ body }) => body.length);
  }).flat();
  const largest = Math.max(...sizes);
  expect(largest).toBeGreaterThan(MAX_FRAME_PAYLOAD - 60);
  const asOutput = largest + OUTPUT_HEADER_BYTES + SEALED_OUTPUT_OVERHEAD;
  const asRecord = largest + FRAME_HEADER_BYTES + RECORD_OVERHEAD;
  expect(Math.max(asOutput, asRecord)).toBeLessThanOrEqual(MAX_FRAME_PAYLOAD);
});
