// Long messages in pieces, and pieces that do not fit together.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FLAG_CONTINUED, FLAG_MORE } from "./frame-types.ts";
import { MAX_FRAME_PAYLOAD } from "./limits.ts";
import { cutIntoPieces, PieceCollector } from "./link.ts";

test("AC122 a message of any length comes out of its pieces as it went in, one after the other", () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 3 * MAX_FRAME_PAYLOAD + 1 }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(lengths, (given) => {
      const gatherer = new PieceCollector(4 * MAX_FRAME_PAYLOAD);
      for (const [index, length] of given.entries()) {
        const bytes = new Uint8Array(length).fill(index + 1);
        const pieces = cutIntoPieces(bytes);
        for (const { payload } of pieces)
          expect(payload.length).toBeLessThanOrEqual(MAX_FRAME_PAYLOAD);
        const gathered = pieces.map(({ flags, payload }) => gatherer.take(flags, payload));
        for (const one of gathered.slice(0, -1)) expect(one).toEqual({ is: "more" });
        const last = gathered.at(-1);
        expect(last?.is).toBe("whole");
        if (last?.is === "whole") expect(Buffer.compare(last.bytes, bytes)).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});

test("AC123 a piece without its beginning, or a beginning in a message, is told; the next one is whole again", () => {
  const gatherer = new PieceCollector(100);
  const bytes = new Uint8Array([1]);
  expect(gatherer.take(FLAG_CONTINUED, bytes)).toEqual({ is: "torn" });
  expect(gatherer.take(FLAG_MORE, bytes)).toEqual({ is: "more" });
  expect(gatherer.take(0, bytes)).toEqual({ is: "torn" });
  expect(gatherer.take(0, bytes)).toEqual({ is: "whole", bytes });
});

test("AC51 a message that is too long is given up before it is whole", () => {
  const gatherer = new PieceCollector(100);
  expect(gatherer.take(FLAG_MORE, new Uint8Array(60))).toEqual({ is: "more" });
  expect(gatherer.take(FLAG_CONTINUED | FLAG_MORE, new Uint8Array(60))).toEqual({ is: "too long" });
  expect(gatherer.take(0, new Uint8Array(101))).toEqual({ is: "too long" });
});
