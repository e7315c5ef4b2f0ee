import { expect, test } from "vitest";
import { formatDuration, formatTime } from "./times.ts";

const at = (...parts: [number, number, number, number, number, number?]): number =>
  new Date(...parts).getTime();

test("C44 a time of today is a clock's, one of this year has its day, and another its year", () => {
  const now = at(2026, 10, 18, 14, 30);
  expect(formatTime(at(2026, 10, 18, 9, 3), now)).toBe("09:03");
  expect(formatTime(at(2026, 10, 17, 14, 3), now)).toBe("17 Nov 14:03");
  expect(formatTime(at(2026, 9, 18, 14, 3), now)).toBe("18 Oct 14:03");
  expect(formatTime(at(2025, 10, 18, 14, 3), now)).toBe("18 Nov 2025 14:03");
  expect(formatTime(at(2026, 10, 18, 9, 3, 5), now, { seconds: true })).toBe("09:03:05");
  expect(formatTime(Number.NaN, now)).toBe("");
});

test("C116 a duration is one whole unit", () => {
  const shown = [-1, 0, 999, 5_000, 59_999, 60_000, 3_599_999, 7_200_000, 86_400_000 * 3];
  expect(shown.map(formatDuration)).toEqual([
    "0 s",
    "0 s",
    "0 s",
    "5 s",
    "59 s",
    "1 min",
    "59 min",
    "2 h",
    "3 d",
  ]);
});
