import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_INTERVALS, getSilence } from "./tool-waits.ts";

/** Simulates the rule: returns when a wait ends, given the times of output, in milliseconds. */
function findEnd(
  outputs: readonly number[],
  minMs: number,
  settleMs: number,
  maxMs: number,
): number {
  const silence = getSilence({ minMs, settleMs, maxMs }, false);
  let newsAt = 0;
  let now = 0;
  for (const next of [...outputs.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY]) {
    for (;;) {
      const left = silence?.(now - newsAt, now) ?? 0;
      const at = now + left;
      if (left <= 0 || now >= maxMs) return Math.min(now, maxMs);
      if (at >= next) break;
      now = Math.min(at, maxMs);
    }
    if (next >= maxMs) return maxMs;
    now = next;
    newsAt = next;
  }
  return now;
}

test("Y11 a call waits at least min, until nothing came for settle, at most max", () => {
  const times = fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 20 });
  const span = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(
      times,
      span,
      span,
      fc.integer({ min: 1, max: 50_000 }),
      (outputs, min, settle, max) => {
        const end = findEnd(outputs, min, settle, max);
        expect(end).toBeLessThanOrEqual(max);
        if (end === max) return;
        expect(end).toBeGreaterThanOrEqual(min);
        const last = Math.max(0, ...outputs.filter((at) => at <= end));
        expect(end - last).toBeGreaterThanOrEqual(settle);
        // An earlier moment would not have satisfied the rule.
        const before = [...outputs.filter((at) => at < end), 0];
        const quiet = Math.max(...before) + settle;
        expect(end).toBe(Math.max(min, quiet));
      },
    ),
  );
});

test("Y79 whoever waits for a text waits through silence", () => {
  expect(getSilence(DEFAULT_INTERVALS, true)).toBeUndefined();
  expect(DEFAULT_INTERVALS).toEqual({ minMs: 1_000, settleMs: 2_000, maxMs: 30_000 });
});
