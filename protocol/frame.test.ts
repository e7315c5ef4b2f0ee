import fc from "fast-check";
import { expect, test } from "vitest";
import type { Frame } from "./frame.ts";
import {
  decodeFrames,
  encodeFrame,
  FRAME_HEADER_BYTES,
  toFrameBytes,
  FrameDecoder,
} from "./frame.ts";
import { MAX_FRAME_PAYLOAD } from "./limits.ts";

const frame = fc.record({
  type: fc.integer({ min: 0, max: 255 }),
  flags: fc.integer({ min: 0, max: 255 }),
  stream: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 300 }),
});

const joined = (frames: Frame[]) =>
  new Uint8Array(
    Buffer.concat(frames.map((f) => encodeFrame(f.type, f.stream, f.payload, f.flags))),
  );
const plain = (frames: readonly Frame[]) =>
  frames.map((f) => ({ ...f, payload: Array.from(f.payload) }));

/** Cuts bytes at the given places. */
function pieces(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.slice(places[index], end));
}

test("P2 a decoded frame's own bytes are those it was decoded from", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.nat(), (frames, cut) => {
      const bytes = joined(frames);
      const decoder = new FrameDecoder();
      const streamed = pieces(bytes, [cut]).flatMap((piece) => decoder.push(piece).frames);
      for (const decoded of [decodeFrames(bytes).frames, streamed]) {
        expect(new Uint8Array(Buffer.concat(decoded.map(toFrameBytes)))).toEqual(bytes);
      }
    }),
  );
});

test("P1 any bytes decode to frames or a fault, never past their end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const decoded = decodeFrames(bytes);
      const used = decoded.frames.reduce(
        (sum, f) => sum + FRAME_HEADER_BYTES + f.payload.length,
        0,
      );
      expect(used).toBeLessThanOrEqual(bytes.length);
      if (decoded.ok) expect(used).toBe(bytes.length);
    }),
  );
});

test("P1 a stream decoder takes any bytes in any pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), (chunks) => {
      const decoder = new FrameDecoder();
      for (const chunk of chunks) decoder.push(chunk);
      const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      expect(decoder.pending).toBeLessThanOrEqual(total);
    }),
  );
});

test("P2 decoding what was encoded gives the same frames", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), (frames) => {
      const decoded = decodeFrames(joined(frames));
      expect(decoded.ok).toBe(true);
      expect(plain(decoded.frames)).toEqual(plain(frames));
    }),
  );
});

test("P3 a byte stream decodes alike however it is split", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat()), (frames, cuts) => {
      const decoder = new FrameDecoder();
      const got = pieces(joined(frames), cuts).flatMap((piece) => {
        const decoded = decoder.push(piece);
        expect(decoded.ok).toBe(true);
        // Like a reader: payloads must stay unchanged while later pieces arrive.
        return decoded.frames;
      });
      expect(plain(got)).toEqual(plain(frames));
      expect(decoder.pending).toBe(0);
    }),
  );
});

test("P4 an announced length over the limit is a fault before its bytes come", () => {
  const header = encodeFrame(1, 2);
  new DataView(header.buffer).setUint32(8, MAX_FRAME_PAYLOAD + 1);
  expect(decodeFrames(header)).toMatchObject({ ok: false, error: { fault: "too_long" } });
  const decoder = new FrameDecoder();
  for (const byte of header.slice(0, -1)) expect(decoder.push(Uint8Array.of(byte)).ok).toBe(true);
  expect(decoder.push(header.slice(-1))).toMatchObject({ ok: false, error: { fault: "too_long" } });
});

test("P4 set reserved bytes are a fault, and a stream stays faulty", () => {
  const bad = encodeFrame(1, 2);
  bad[2] = 1;
  const decoder = new FrameDecoder();
  const first = decoder.push(Buffer.concat([encodeFrame(7, 7), bad]));
  expect(first.frames.map((f) => f.type)).toEqual([7]);
  expect(first).toMatchObject({ ok: false, error: { fault: "not_a_frame" } });
  expect(decoder.push(encodeFrame(7, 7))).toMatchObject({ ok: false, frames: [] });
});

test("P4 a message that ends inside a frame says how much is missing", () => {
  const bytes = encodeFrame(1, 2, new Uint8Array(10)).slice(0, -4);
  expect(decodeFrames(bytes)).toMatchObject({ error: { fault: "cut_short", missing: 4 } });
});
