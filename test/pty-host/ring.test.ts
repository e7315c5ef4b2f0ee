// The replay buffer against the simplest model of it: all bytes that ever came.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ring } from "../../bridge/pty-host/ring.ts";

const pieces = fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 40 });
const limits = fc.record({
  limit: fc.integer({ min: 1, max: 200 }),
  initial: fc.integer({ min: 1, max: 64 }),
});

describe("H4 the ring", () => {
  test("H4 it holds the end of the stream, under any growth, at absolute offsets", () => {
    fc.assert(
      fc.property(pieces, limits, (stream, { limit, initial }) => {
        const ring = new Ring(limit, initial);
        let all: number[] = [];
        for (const piece of stream) {
          ring.append(piece);
          all = [...all, ...piece];
          expect(ring.end).toBe(all.length);
          expect(ring.end - ring.first).toBe(Math.min(limit, all.length));
          expect(read(ring, ring.first, ring.end)).toEqual(all.slice(ring.first));
          expect(ring.capacity).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  test("H4 any part of it can be copied, and nothing outside of it", () => {
    fc.assert(
      fc.property(pieces, limits, fc.nat(), fc.nat(), (stream, { limit, initial }, a, b) => {
        const ring = new Ring(limit, initial);
        for (const piece of stream) ring.append(piece);
        const all = stream.flatMap((piece) => [...piece]);
        const from = ring.first + (a % (ring.end - ring.first + 1));
        const to = from + (b % (ring.end - from + 1));
        expect(read(ring, from, to)).toEqual(all.slice(from, to));
        expect(() => read(ring, ring.first - 1, to)).toThrow(RangeError);
        expect(() => read(ring, from, ring.end + 1)).toThrow(RangeError);
      }),
    );
  });

  test("H4 H17 after a cut it holds the last bytes, in no more memory than that, and goes on", () => {
    fc.assert(
      fc.property(pieces, limits, fc.integer({ min: 1, max: 100 }), (stream, sizes, count) => {
        const ring = new Ring(sizes.limit, sizes.initial);
        for (const piece of stream) ring.append(piece);
        const first = Math.max(ring.first, ring.end - count);
        ring.keepLast(count);
        const all = stream.flatMap((piece) => [...piece]);
        expect(ring.first).toBe(first);
        expect(read(ring, first, ring.end)).toEqual(all.slice(first));
        expect(ring.capacity).toBeLessThanOrEqual(Math.max(1, count));
        ring.append(Uint8Array.of(1, 2, 3).subarray(0, sizes.limit));
        expect(read(ring, ring.first, ring.end)).toEqual(
          [...all, 1, 2, 3].slice(0, ring.end).slice(ring.first),
        );
      }),
    );
  });
});

function read(ring: Ring, from: number, to: number): number[] {
  const target = new Uint8Array(Math.max(0, to - from) + 2);
  ring.copy(from, to, target, 1);
  return [...target.subarray(1, target.length - 1)];
}
