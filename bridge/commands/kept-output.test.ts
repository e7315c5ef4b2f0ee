import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptOutput } from "./kept-output.ts";

test("Y2 a stream keeps its beginning and its end, and counts what lay between", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
  const sizes = fc.record({
    head: fc.integer({ min: 1, max: 64 }),
    tail: fc.integer({ min: 1, max: 64 }),
  });
  fc.assert(
    fc.property(chunks, sizes, fc.nat(600), fc.nat(600), (pieces, kept, a, b) => {
      const whole = Buffer.concat(pieces);
      const output = new KeptOutput(kept);
      for (const piece of pieces) output.append(piece);
      expect(output.end).toBe(whole.length);
      const isKept = (at: number) => at < kept.head || at >= whole.length - kept.tail;
      const read = output.read();
      const length = read.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(length + output.lost).toBe(whole.length);
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const seen = new Set<number>();
      for (const { offset, bytes } of output.read(from, to)) {
        for (const [index, byte] of bytes.entries()) {
          expect(byte).toBe(whole[offset + index]);
          seen.add(offset + index);
        }
      }
      for (let at = 0; at < whole.length; at++) {
        expect(seen.has(at)).toBe(isKept(at) && at >= from && at < to);
      }
    }),
  );
});
