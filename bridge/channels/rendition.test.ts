import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { toBytes } from "../../protocol/text.ts";
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
