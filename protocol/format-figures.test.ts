import { expect, test } from "vitest";
import { formatBytes, formatClock } from "./format-figures.ts";

test("RE28 lengths and sizes are said in one way", () => {
  expect([0, 3.9, 65, 3_605].map(formatClock)).toEqual(["0:00", "0:03", "1:05", "1:00:05"]);
  expect([12, 1_434, 20_480, 5 << 20].map(formatBytes)).toEqual([
    "12 bytes",
    "1.4 KB",
    "20 KB",
    "5.0 MB",
  ]);
});
