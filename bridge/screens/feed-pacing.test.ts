import fc from "fast-check";
import { expect, test } from "vitest";
import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Pace } from "./feed-pacing.ts";
import { recordActivity, nextSlice, shouldFeed, SLICE_BYTES } from "./feed-pacing.ts";

const fresh: Pace = { fed: 0, end: 0, at: 0, rate: 0 };

/** Output at a steady rate, reported four times a second. */
function after(seconds: number, rate: number): Pace {
  let pace = fresh;
  for (let turn = 0; turn <= seconds * 4; turn++) {
    pace = recordActivity(pace, (turn * rate) / 4, 1_000 + turn * 250);
  }
  return pace;
}

test("F5 a terminal that printed little gets no screen by itself", () => {
  const pace = recordActivity(fresh, 10 * KiB, 1_000);
  expect(shouldFeed(pace, 1_000_000)).toBe("never");
});

test("F5 much output is fed once it is quiet", () => {
  const pace = after(1, 200 * KiB);
  expect(shouldFeed(pace, pace.at + 100)).toBe("later");
  expect(shouldFeed(pace, pace.at + 1_000)).toBe("now");
});

test("F5 slow output is fed before the host forgets it, a flood is not", () => {
  const slow = after(20, 100 * KiB);
  expect(slow.end).toBeLessThan(REPLAY_BYTES);
  expect(shouldFeed(slow, slow.at)).toBe("now");
  const flood = after(2, 30 * MiB);
  expect(shouldFeed(flood, flood.at)).toBe("later");
  expect(shouldFeed(flood, flood.at + 1_000)).toBe("now");
});

test("F5 what was fed is not fed again", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (end, quiet) => {
      const pace = { ...fresh, fed: end, end, at: 1 };
      return shouldFeed(pace, 1 + quiet) === "never";
    }),
  );
});

test("F18 what takes long to draw is fed in smaller slices, and text in large ones again", () => {
  // Scrolling: 40 µs a byte.
  let slice = SLICE_BYTES;
  for (let turn = 0; turn < 3; turn++) slice = nextSlice(slice, slice * 0.04);
  expect(slice * 0.04).toBeLessThanOrEqual(16);
  expect(nextSlice(slice, 60_000)).toBeGreaterThan(0);
  for (let turn = 0; turn < 20; turn++) slice = nextSlice(slice, 1);
  expect(slice).toBe(SLICE_BYTES);
});
