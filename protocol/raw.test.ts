import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFrames } from "./frame.ts";
import { FrameType } from "./frame-types.ts";
import { MAX_ATTACHED } from "./limits.ts";
import { decodeAcks, decodeGroup, encodeAcks, encodeGroup } from "./output.ts";

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });

test("P8 acks come out as they went in", () => {
  const ack = fc.record({ channel: u32, offset: fc.maxSafeNat() });
  fc.assert(
    fc.property(u32, fc.array(ack, { maxLength: MAX_ATTACHED + 1 }), (peer, acks) => {
      const { frames } = decodeFrames(encodeAcks(peer, acks));
      expect(frames).toMatchObject([{ type: FrameType.acks, stream: peer }]);
      expect(decodeAcks(frames[0]?.payload ?? new Uint8Array(1))).toEqual(acks);
    }),
  );
});

test("P8 acks that are cut, too many or out of range are none", () => {
  expect(decodeAcks(new Uint8Array(11))).toBeUndefined();
  expect(decodeAcks(new Uint8Array(12 * (MAX_ATTACHED + 2)))).toBeUndefined();
  expect(decodeAcks(new Uint8Array(12).fill(0xff))).toBeUndefined();
});

test("P8 a message for several peers comes out as it went in, and a cut one is none", () => {
  fc.assert(
    fc.property(fc.array(u32, { maxLength: 200 }), fc.uint8Array(), (peers, body) => {
      const payload = encodeGroup(peers, body);
      expect(decodeGroup(payload)).toEqual({ peers, body });
      const least = 4 + 4 * peers.length;
      expect(decodeGroup(payload.subarray(0, least - 1))).toBeUndefined();
    }),
  );
});
