// A window between a sender that always has more and a receiver with a given speed and latency, in
// modelled time.

import fc from "fast-check";
import { expect, test } from "vitest";
import { KiB, MiB } from "../../protocol/limits.ts";
import { SendWindow } from "./send-window.ts";

const LIMITS = { minBytes: 32 * KiB, maxBytes: 512 * KiB, start: 160 * KiB };
const STEP = 5;
const ACK_MS = 50;
const ACK_BYTES = 128 * KiB;

/**
 * Runs for `milliseconds`; speeds in bytes per ms. A receiver without a timer acks only by bytes.
 * Returns the final window and throughput.
 */
function run(speed: number, tripMs: number, milliseconds: number, ackMs = ACK_MS) {
  const window = new SendWindow(LIMITS);
  const line: { at: number; bytes: number }[] = [];
  const back: { at: number; offset: number }[] = [];
  let sent = 0;
  let queue = 0;
  let rendered = 0;
  let confirmed = 0;
  let ackedAt = 0;
  let acked = 0;
  let longestQueue = 0;
  let renderedLate = 0;
  for (let now = 1; now < milliseconds; now += STEP) {
    const room = acked + window.size - sent;
    if (room > 0) {
      window.onSent(sent, sent + room, now);
      sent += room;
      line.push({ at: now + tripMs / 2, bytes: room });
    }
    while (line[0] !== undefined && line[0].at <= now) queue += line.shift()?.bytes ?? 0;
    const taken = Math.min(queue, speed * STEP);
    queue -= taken;
    rendered += taken;
    if (now > milliseconds / 2) {
      longestQueue = Math.max(longestQueue, queue);
      renderedLate += taken;
    }
    if (rendered - confirmed >= ACK_BYTES || (rendered > confirmed && now - ackedAt >= ackMs)) {
      back.push({ at: now + tripMs / 2, offset: rendered });
      confirmed = rendered;
      ackedAt = now;
    }
    while (back[0] !== undefined && back[0].at <= now) {
      const { offset } = back.shift() ?? { offset: acked };
      window.onAck(offset, sent - acked, now);
      acked = offset;
    }
  }
  return {
    size: window.size,
    rate: (2 * renderedLate) / milliseconds,
    waitMs: longestQueue / speed,
  };
}

test("V1 a slow viewer has about a tenth of a second before it, not a queue", () => {
  const { size, waitMs, rate } = run((1 * MiB) / 1000, 2, 5_000);
  expect(size).toBeLessThanOrEqual(180 * KiB);
  expect(waitMs).toBeLessThanOrEqual(180);
  expect(rate).toBeGreaterThan(0.9 * (MiB / 1000));
});

test("V1 a fast viewer gets the whole window, and a long line is not strangled", () => {
  expect(run((50 * MiB) / 1000, 2, 3_000).size).toBe(LIMITS.maxBytes);
  const far = run((5 * MiB) / 1000, 200, 10_000);
  // The line holds more than the largest window, which is used almost fully.
  expect(far.size).toBeGreaterThan(0.9 * LIMITS.maxBytes);
  const farAndSlow = run((1 * MiB) / 1000, 200, 10_000);
  expect(farAndSlow.rate).toBeGreaterThan(0.6 * (MiB / 1000));
});

test("V1 a fast viewer has the whole window within a few acks, and a slow one not", () => {
  expect(run((50 * MiB) / 1000, 2, 40).size).toBe(LIMITS.maxBytes);
  for (const ms of [60, 120, 180, 240]) {
    expect(run((1 * MiB) / 1000, 2, ms).size).toBeLessThanOrEqual(180 * KiB);
  }
});

test("V10 a viewer that acks every 128 KiB is as fast as one with a timer, near and far", () => {
  for (const tripMs of [2, 40, 200]) {
    for (const speed of [0.3, 1, 5, 20]) {
      const bytesPerMs = (speed * MiB) / 1000;
      const timed = run(bytesPerMs, tripMs, 20_000).rate;
      const { rate } = run(bytesPerMs, tripMs, 20_000, Infinity);
      expect(rate / timed, `${speed} MiB/s, ${tripMs} ms`).toBeGreaterThan(0.9);
    }
  }
});

test("V1 whatever the acks are, the window stays within its limits", () => {
  const ack = fc.record({ more: fc.nat(2 * MiB), later: fc.nat(1_000), ahead: fc.nat(4 * MiB) });
  fc.assert(
    fc.property(fc.array(ack, { maxLength: 50 }), (acks) => {
      const window = new SendWindow(LIMITS);
      let offset = 0;
      let now = 0;
      for (const { more, later, ahead } of acks) {
        offset += more;
        now += later;
        window.onSent(offset, offset + ahead, now);
        window.onAck(offset, ahead, now);
        expect(window.size).toBeGreaterThanOrEqual(LIMITS.minBytes);
        expect(window.size).toBeLessThanOrEqual(LIMITS.maxBytes);
      }
    }),
  );
});

test("V1 a sender with little to say keeps its window: its speed is not the receiver's", () => {
  const window = new SendWindow(LIMITS);
  for (let i = 1; i < 100; i++) {
    window.onSent((i - 1) * 10, i * 10, i * 100);
    window.onAck(i * 10, 10, i * 100 + 1);
  }
  expect(window.size).toBe(LIMITS.start);
});
