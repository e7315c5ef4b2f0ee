import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INPUT_AGE_MS } from "../../protocol/limits.ts";
import type { Clocks } from "./freshness.ts";
import {
  applyNudgeAnswer,
  extendDoubt,
  startFreshness,
  startDoubt,
  wasSuspended,
  countsAsLate,
  isFarFromNow,
  isOffsetOld,
  LEARN_EVERY_MS,
  MAX_TICK_GAP_MS,
  RELAY_WAKES_MS,
  endExtension,
} from "./freshness.ts";

const at = (wall: number, monotonic = wall): Clocks => ({ wall, monotonic });
const HOUR = 3_600_000;

test("L11 a message is late when its stamp is over 3 s from now, by the room's clock", () => {
  const state = startFreshness(1_000_000 + HOUR, at(1_000_000));
  expect(isFarFromNow(state, 1_010_000 + HOUR, at(1_010_000))).toBe(false);
  expect(isFarFromNow(state, 1_010_000 + HOUR, at(1_010_000 + MAX_INPUT_AGE_MS))).toBe(false);
  expect(isFarFromNow(state, 1_010_000 + HOUR, at(1_010_001 + MAX_INPUT_AGE_MS))).toBe(true);
  // From the future: one of the clocks was set.
  expect(isFarFromNow(state, 1_020_000 + HOUR, at(1_010_000))).toBe(true);
});

test("L11 however far the clocks are apart, an answered nudge tells it to half its round trip", () => {
  const clocks = fc.integer({ min: -10 * HOUR, max: 10 * HOUR });
  const way = fc.nat({ max: 2_000 });
  fc.assert(
    fc.property(clocks, clocks, way, way, way, (was, apart, there, back, later) => {
      const now = 1_700_000_000_000;
      const sentAt = now - there - back;
      const roomNow = now - back + apart;
      const state = applyNudgeAnswer(
        startFreshness(now + was, at(now)),
        { number: 1, sentAt, roomNow },
        at(now),
      );
      const stamp = now + apart;
      expect(isFarFromNow(state, stamp, at(now + later))).toBe(false);
      const tooLate = now + MAX_INPUT_AGE_MS + 1 + (there + back) / 2;
      expect(isFarFromNow(state, stamp, at(tooLate))).toBe(true);
    }),
  );
});

test("L18 a gap over 5 s on either clock shows that the process stood still", () => {
  const state = startFreshness(0, at(1_000, 50));
  expect(wasSuspended(state, at(1_000 + MAX_TICK_GAP_MS, 50 + MAX_TICK_GAP_MS))).toBe(false);
  // Suspended: the monotonic clock may stop, too.
  expect(wasSuspended(state, at(1_001 + MAX_TICK_GAP_MS, 51))).toBe(true);
  // The wall clock was set back meanwhile.
  expect(wasSuspended(state, at(900, 51 + MAX_TICK_GAP_MS))).toBe(true);
});

test("L18 L16 a doubt ends with the answer to a nudge sent since it began, and with no older one", () => {
  const answer = (number: number) => ({ number, sentAt: 10, roomNow: 20 });
  const doubted = startDoubt(startFreshness(0, at(0)), 3);
  expect(startDoubt(doubted, 7)).toEqual(doubted);
  expect(applyNudgeAnswer(doubted, answer(2), at(20)).doubtedUntil).toBe(3);
  expect(applyNudgeAnswer(doubted, answer(3), at(20)).doubtedUntil).toBeUndefined();
  expect(applyNudgeAnswer(doubted, answer(4), at(20)).doubtedUntil).toBeUndefined();
});

test("L17 the offset is learned again after an hour: clocks drift", () => {
  const state = startFreshness(0, at(5_000));
  expect(isOffsetOld(state, at(4_999 + LEARN_EVERY_MS))).toBe(false);
  expect(isOffsetOld(state, at(5_000 + LEARN_EVERY_MS))).toBe(true);
});

test("L19 where the relay may have slept along, the doubt outlasts the answer, unless the room was awake", () => {
  const woken = extendDoubt(startDoubt(startFreshness(0, at(0)), 1), at(30_000));
  const settled = applyNudgeAnswer(
    woken,
    { number: 1, sentAt: 30_000, roomNow: 30_001 },
    at(30_002),
  );
  expect(countsAsLate(settled, at(30_002))).toBe(true);
  expect(countsAsLate(settled, at(30_000 + RELAY_WAKES_MS))).toBe(false);
  expect(countsAsLate(endExtension(settled), at(30_002))).toBe(false);
  expect(countsAsLate(endExtension(woken), at(30_002))).toBe(true);
});
