import fc from "fast-check";
import { expect, test } from "vitest";
import { KiB } from "../../protocol/limits.ts";
import { chooseStart, fillModes, REBUILD_BYTES } from "./rebuild.ts";

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
