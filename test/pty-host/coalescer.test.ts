// The pure decisions of when bytes leave and when a program is held.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BATCH_MS,
  decideSend,
  LEASE_MS,
  READ_AHEAD_BYTES,
  Lease,
} from "../../bridge/pty-host/reader.ts";
import { FRAME_SOFT_BYTES, PTY_READ_BYTES } from "../../protocol/limits.ts";

const reads = fc.array(
  fc.record({
    // Quarters of a millisecond are exact, so the simulated clock never rounds.
    afterMs: fc.oneof(
      fc.constant(0),
      fc.nat(12),
      fc.nat(8).map((quarters) => quarters / 4),
    ),
    bytes: fc.integer({ min: 1, max: PTY_READ_BYTES }),
  }),
  { maxLength: 120 },
);

describe("H7 the coalescer", () => {
  test("H7 the first byte of an idle terminal leaves at once", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: FRAME_SOFT_BYTES }),
        fc.integer({ min: BATCH_MS }),
        (waiting, sinceLastMs) => {
          expect(decideSend({ waiting, sinceLastMs, complete: false })).toEqual({
            now: true,
            bytes: waiting,
          });
        },
      ),
    );
    expect(decideSend({ waiting: 1, sinceLastMs: Infinity, complete: false }).now).toBe(true);
  });

  test("H7 no byte waits longer than a batch, frames are bounded, and none is needless", () => {
    fc.assert(
      fc.property(reads, (arrivals) => {
        const { frames, longestWait, total } = simulate(arrivals);
        expect(frames.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(total);
        expect(longestWait).toBeLessThanOrEqual(BATCH_MS);
        for (const [i, frame] of frames.entries()) {
          expect(frame.bytes).toBeLessThanOrEqual(FRAME_SOFT_BYTES + PTY_READ_BYTES);
          const since = frame.at - (frames[i - 1]?.at ?? -Infinity);
          expect(frame.bytes >= FRAME_SOFT_BYTES || since >= BATCH_MS).toBe(true);
        }
      }),
    );
  });

  test("H7 a batch that nothing can join does not wait", () => {
    expect(decideSend({ waiting: 3, sinceLastMs: 0, complete: true })).toEqual({
      now: true,
      bytes: 3,
    });
  });

  test("H7 under load a frame leaves when it is full, and not before", () => {
    const leave = (waiting: number): boolean =>
      decideSend({ waiting, sinceLastMs: 0, complete: false }).now;
    expect(leave(FRAME_SOFT_BYTES - 1)).toBe(false);
    expect(leave(FRAME_SOFT_BYTES)).toBe(true);
  });

  test("H7 a backlog leaves in frames of the soft limit", () => {
    const waiting = 10 * FRAME_SOFT_BYTES;
    expect(decideSend({ waiting, sinceLastMs: 0, complete: false })).toEqual({
      now: true,
      bytes: FRAME_SOFT_BYTES,
    });
  });
});

describe("H6 the lease", () => {
  const event = fc.oneof(
    fc.record({ look: fc.nat(2 * READ_AHEAD_BYTES), after: fc.nat(2 * LEASE_MS) }),
    fc.record({ renew: fc.constant(true), after: fc.nat(2 * LEASE_MS) }),
  );

  test("H6 only a paced reader holds, only when far behind, and never for longer than the lease", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(event), (paced, events) => {
        const lease = new Lease(paced);
        let now = 0;
        for (const one of events) {
          now += one.after;
          if ("renew" in one) {
            lease.renew(now);
            continue;
          }
          const hold = lease.decide(one.look, now);
          if (!hold.held) continue;
          expect(paced && one.look >= READ_AHEAD_BYTES).toBe(true);
          expect(hold.forMs).toBeLessThanOrEqual(LEASE_MS);
          // Left to itself, it ends; and it stays ended until the reader is heard of.
          expect(lease.decide(one.look, now + hold.forMs)).toEqual({ held: false });
          expect(lease.decide(one.look, now + hold.forMs + 1)).toEqual({ held: false });
          lease.renew(now + hold.forMs + 1);
          expect(lease.decide(one.look, now + hold.forMs + 1).held).toBe(true);
          now += hold.forMs + 1;
        }
      }),
    );
  });

  test("H6 a reader that was silent while there was nothing to say still holds a flood", () => {
    const lease = new Lease(true);
    expect(lease.decide(0, 0)).toEqual({ held: false });
    const later = 100 * LEASE_MS;
    expect(lease.decide(READ_AHEAD_BYTES, later)).toEqual({ held: true, forMs: LEASE_MS });
  });
});

interface Arrival {
  readonly afterMs: number;
  readonly bytes: number;
}

interface Simulated {
  readonly frames: { readonly at: number; readonly bytes: number }[];
  readonly longestWait: number;
  readonly total: number;
}

/** A reader with a perfect timer and all credit. */
function simulate(arrivals: readonly Arrival[]): Simulated {
  const frames: { at: number; bytes: number }[] = [];
  let [now, waiting, waitingSince, sentAt, longestWait, total] = [0, 0, 0, -Infinity, 0, 0];
  let due = Infinity;
  const pump = (): void => {
    due = Infinity;
    while (waiting > 0) {
      const leave = decideSend({ waiting, sinceLastMs: now - sentAt, complete: false });
      if (!leave.now) {
        due = now + leave.waitMs;
        return;
      }
      longestWait = Math.max(longestWait, now - waitingSince);
      frames.push({ at: now, bytes: leave.bytes });
      waiting -= leave.bytes;
      sentAt = now;
      waitingSince = now;
    }
  };
  const runTo = (time: number): void => {
    for (let next = due; next <= time; next = due) {
      now = next;
      pump();
    }
    now = time;
  };
  for (const { afterMs, bytes } of arrivals) {
    runTo(now + afterMs);
    if (waiting === 0) waitingSince = now;
    waiting += bytes;
    total += bytes;
    pump();
  }
  runTo(now + 2 * BATCH_MS);
  return { frames, longestWait, total };
}
