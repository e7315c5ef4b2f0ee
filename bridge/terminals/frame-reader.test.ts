// The reader as a socket fills it: reads of any length up to the buffer's size.

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { FRAME_SOFT_BYTES, KiB, MAX_FRAME_PAYLOAD, UPLINK_WINDOW } from "../../protocol/limits.ts";
import type { Lease } from "../../protocol/output.ts";
import { FrameReader } from "./frame-reader.ts";

/** Reads everything and keeps all frames; compares the payloads only at the end. */
function readAll(bytes: Uint8Array, lengths: readonly number[]) {
  const reader = new FrameReader();
  const frames = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const room = reader.getBuffer();
    const wanted = lengths[turn % lengths.length] ?? bytes.length;
    const length = Math.min(wanted, room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + length));
    at += length;
    const decoded = reader.onRead(length);
    expect(decoded.ok).toBe(true);
    reader.lease.keep();
    frames.push(...decoded.frames);
  }
  return frames;
}

test("P3 frames are read alike however reads cut them, and stay what they were", () => {
  const payload = fc.oneof(
    fc.nat({ max: 40 }),
    fc.integer({ min: 60 * KiB, max: MAX_FRAME_PAYLOAD }),
  );
  const lengths = fc.array(fc.integer({ min: 1, max: 300 * KiB }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(payload, { minLength: 1, maxLength: 30 }), lengths, (sizes, reads) => {
      // Short reads of long streams would only take long.
      fc.pre(Math.max(...reads) > 4 * KiB);
      const sent = sizes.map((size, at) =>
        encodeFrame(1 + (at % 7), at, new Uint8Array(size).fill(at)),
      );
      const frames = readAll(Buffer.concat(sent), reads);
      expect(frames.map(({ stream }) => stream)).toEqual(sizes.map((_, at) => at));
      const intact = frames.every(
        (frame, at) =>
          Buffer.compare(encodeFrame(frame.type, at, frame.payload), sent[at] ?? frame.payload) ===
          0,
      );
      expect(intact).toBe(true);
    }),
    { numRuns: 40 },
  );
});

/** Reads `times` frames of 64 KiB, in halves; returns how many pieces of memory were used. */
function memoryFor(times: number, taken: (lease: Lease) => void): number {
  const reader = new FrameReader();
  const memory = new Set<ArrayBufferLike>();
  const frame = encodeFrame(FrameType.output, 1, new Uint8Array(FRAME_SOFT_BYTES));
  const half = frame.length >> 1;
  for (let turn = 0; turn < times; turn++) {
    for (const part of [frame.subarray(0, half), frame.subarray(half)]) {
      const room = reader.getBuffer();
      memory.add(room.buffer);
      room.set(part);
      if (reader.onRead(part.length).frames.length > 0) taken(reader.lease);
    }
  }
  return memory.size;
}

test("P3 memory that no one keeps is read into again", () => {
  expect(memoryFor(100, () => {})).toBe(1);
});

test("P3 memory that is kept for a window is read into again once it is released", () => {
  const kept: Lease[] = [];
  const most = UPLINK_WINDOW / FRAME_SOFT_BYTES;
  const pieces = memoryFor(100, (lease) => {
    lease.keep();
    kept.push(lease);
    if (kept.length > most) kept.shift()?.release();
  });
  expect(pieces).toBe(2);
});

test("P4 a stream that lost its place stays lost for the reader", () => {
  const reader = new FrameReader();
  reader.getBuffer().set([1, 0, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(reader.onRead(12)).toMatchObject({ ok: false, error: { fault: "not_a_frame" } });
  reader.getBuffer().set(encodeFrame(1, 1));
  expect(reader.onRead(12)).toMatchObject({ ok: false, frames: [] });
});
