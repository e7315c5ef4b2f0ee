import fc from "fast-check";
import { expect, test } from "vitest";
import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Pace } from "./feed-pacing.ts";
import {
  recordActivity,
  nextSlice,
  shouldFeed,
  SLICE_BYTES,
  chooseStart,
  fillModes,
  REBUILD_BYTES,
} from "./feed-pacing.ts";

const size = { cols: 80, rows: 24 };

test("F5 everything is still there: from the beginning", () => {
  const marks = [{ offset: 0, ...size, modes: "" }];
  expect(chooseStart(marks, 0, 10 * KiB)).toMatchObject({ offset: 0, isWithinLine: false });
});

test("F5 modes that have not changed for long hold wherever it starts", () => {
  const marks = [{ offset: 100, ...size, modes: "\x1b[?1h" }];
  const end = 10_000 * KiB;
  const start = chooseStart(marks, end - 2048 * KiB, end);
  expect(start).toMatchObject({
    offset: end - REBUILD_BYTES,
    modes: "\x1b[?1h",
    isWithinLine: true,
  });
});

test("F5 a full-screen program is rebuilt from as far back as there is", () => {
  const marks = [{ offset: 100, ...size, modes: "\x1b[?1047h" }];
  const end = 10_000 * KiB;
  expect(chooseStart(marks, end - 2048 * KiB, end).offset).toBe(end - 2048 * KiB);
});

test("F5 the start is within what is retained, and its size and modes are a mark's", () => {
  const mark = fc.record({
    offset: fc.integer({ min: 0, max: 4_000_000 }),
    cols: fc.integer({ min: 2, max: 200 }),
    rows: fc.integer({ min: 1, max: 60 }),
    modes: fc.constantFrom(undefined, "", "\x1b[?1h", "\x1b[?1047h"),
  });
  fc.assert(
    fc.property(
      fc.array(mark, { maxLength: 12 }),
      fc.integer({ min: 0, max: 3_000_000 }),
      fc.integer({ min: 0, max: 2_097_152 }),
      (more, first, length) => {
        const end = first + length;
        const marks = fillModes(
          [{ offset: 0, ...size, modes: "" }, ...more]
            .filter(({ offset }) => offset <= end)
            .toSorted((a, b) => a.offset - b.offset),
        );
        const start = chooseStart(marks, first, end);
        expect(start.offset).toBeGreaterThanOrEqual(first);
        expect(start.offset).toBeLessThanOrEqual(end);
        const like = { cols: start.cols, rows: start.rows, modes: start.modes };
        expect(marks.map(({ cols, rows, modes }) => ({ cols, rows, modes }))).toContainEqual(like);
      },
    ),
  );
});

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
