// What the soak calls flat.

import { expect, test } from "vitest";
import type { Sample } from "./figures.ts";
import { readFigures, getSlope, unflat } from "./figures.ts";

const sample = (residentKiB: number, descriptors = 30, processes = 5, at = 0): Sample => ({
  at,
  phase: "x",
  processes,
  parts: { bridge: { descriptors, sockets: 3, residentKiB } },
});

test("O12 growth of descriptors, processes or memory, and a part that is gone, are not flat", () => {
  expect(unflat(sample(80_000), sample(110_000, 34))).toEqual([]);
  expect(unflat(sample(80_000), sample(80_000, 40))).toEqual(["bridge: descriptors 30 → 40"]);
  expect(unflat(sample(80_000), sample(80_000, 30, 6))).toEqual(["processes: 5 → 6"]);
  expect(unflat(sample(80_000), sample(200_000))[0]).toContain("bridge: memory");
  expect(unflat(sample(80_000), { ...sample(1), parts: {} })).toEqual(["bridge is gone"]);
});

test("O12 the slope is in KiB a minute", () => {
  const rising = [0, 1, 2, 3].map((minute) => sample(1_000 + 50 * minute, 1, 1, minute * 60_000));
  expect(getSlope(rising, "bridge")).toBeCloseTo(50);
  expect(getSlope([sample(5)], "bridge")).toBe(0);
  expect(readFigures(process.pid).residentKiB).toBeGreaterThan(1_000);
});
