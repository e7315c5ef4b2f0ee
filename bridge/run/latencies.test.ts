// Measuring latency: which samples count, and the result without an answer.

import fc from "fast-check";
import { expect, test } from "vitest";
import { measureLatency, median } from "./latencies.ts";

test("C61 the middle round trip counts, and it is one that was measured", () => {
  expect(median([])).toBeUndefined();
  expect(median([40, 2, 3])).toBe(3);
  expect(median([40, 2])).toBe(2);
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (times) => {
      const found = median(times) ?? -1;
      expect(times).toContain(found);
      const below = times.filter((time) => time < found).length;
      const above = times.filter((time) => time > found).length;
      expect(Math.max(below, above)).toBeLessThanOrEqual(times.length / 2);
    }),
  );
});

test("C62 what never answers is unknown at the deadline; what answered before counts", async () => {
  const silent = () => new Promise<number>(() => {});
  expect(await measureLatency(silent, performance.now() + 5)).toBeUndefined();
  let asked = 0;
  const once = async () => (asked++ === 0 ? 7 : await silent());
  expect(await measureLatency(once, performance.now() + 50)).toBe(7);
});
