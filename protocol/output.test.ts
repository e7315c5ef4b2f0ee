import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFrames } from "./frame.ts";
import { FrameType } from "./frame-types.ts";
import {
  decodeChunk,
  decodeOffset,
  decodeOutput,
  encodeChunk,
  encodeOffset,
  encodeOutputFrame,
} from "./output.ts";

const offset = fc.maxSafeNat();
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });

test("P7 an offset survives its encoding", () => {
  fc.assert(
    fc.property(offset, (value) => {
      expect(decodeOffset(encodeOffset(value))).toBe(value);
    }),
  );
});

test("P7 numbers above 2^53 - 1 are no offsets", () => {
  expect(decodeOffset(Uint8Array.of(0, 0x20, 0, 0, 0, 0, 0, 0))).toBeUndefined();
  expect(decodeOffset(new Uint8Array(7))).toBeUndefined();
});

test("P2 an output frame decodes to what it was", () => {
  fc.assert(
    fc.property(u32, offset, u32, fc.uint8Array(), (stream, at, span, body) => {
      const decoded = decodeFrames(encodeOutputFrame(stream, at, span, body));
      expect(decoded.frames).toMatchObject([{ type: FrameType.output, stream }]);
      const output = decodeOutput(decoded.frames[0]?.payload ?? new Uint8Array());
      expect({ ...output, body: Array.from(output?.body ?? []) }).toEqual({
        offset: at,
        span,
        body: Array.from(body),
      });
    }),
  );
});

test("P2 a chunk decodes to what it was", () => {
  fc.assert(
    fc.property(u32, offset, fc.uint8Array(), (request, at, body) => {
      const chunk = decodeChunk(encodeChunk(request, at, body));
      expect({ ...chunk, body: Array.from(chunk?.body ?? []) }).toEqual({
        request,
        offset: at,
        body: Array.from(body),
      });
    }),
  );
});

test("P1 payloads too short for their head are nothing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 11 }), (bytes) => {
      expect(decodeOutput(bytes)).toBeUndefined();
      expect(decodeChunk(bytes)).toBeUndefined();
    }),
  );
});
