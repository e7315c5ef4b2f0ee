// Rates and concurrency, in modelled time.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("S1 three spawns a minute, in a window that slides", () => {
  let now = 0;
  const slots = new Slots(
    () => 0,
    () => now,
  );
  const take = () => slots.take("background");
  for (let i = 0; i < 3; i++) {
    const decision = take();
    if (decision.ok) decision.slot.keep();
    expect(decision.ok).toBe(true);
    now += 10_000;
  }
  expect(take()).toMatchObject({
    ok: false,
    error: "Spawn rate limit exceeded (max 3/minute)",
    retryAfterMs: 30_000,
  });
  now = 59_999;
  expect(take().ok).toBe(false);
  now = 60_000;
  expect(take().ok).toBe(true);
  expect(take().ok).toBe(false);
});

test("S1 a spawn that failed does not count", () => {
  const slots = new Slots(
    () => 0,
    () => 0,
  );
  for (let i = 0; i < 10; i++) {
    const decision = slots.take("background");
    expect(decision.ok).toBe(true);
    if (decision.ok) decision.slot.release();
  }
});

test("S2 five at once, counting those that are being started", () => {
  let running = 5;
  const slots = new Slots(
    (lane) => (lane === "background" ? running : 0),
    () => 0,
  );
  expect(slots.take("background")).toMatchObject({
    ok: false,
    error: "Maximum concurrent agent terminals reached (5)",
  });
  // Sessions share their counter; short commands and ACP do not.
  expect(slots.take("session").ok).toBe(false);
  expect(slots.take("command").ok).toBe(true);
  expect(slots.take("acp").ok).toBe(true);
  running = 4;
  expect(slots.take("background").ok).toBe(true);
  expect(slots.take("background").ok).toBe(false);
});

test("S1 S2 however asks and ends are mixed, the limits hold", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("ask"), succeeds: fc.boolean() }),
    fc.record({ kind: fc.constant("end") }),
    fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 1, max: 40_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let now = 0;
      let running = 0;
      const started: number[] = [];
      const slots = new Slots(
        (lane) => (lane === "background" ? running : 0),
        () => now,
      );
      for (const one of steps) {
        if ("ms" in one) now += one.ms;
        else if (one.kind === "end") running = Math.max(0, running - 1);
        else {
          const decision = slots.take("background");
          if (!decision.ok) continue;
          if ("succeeds" in one && one.succeeds) {
            decision.slot.keep();
            started.push(now);
            running++;
          } else decision.slot.release();
        }
        expect(running).toBeLessThanOrEqual(5);
        const lastMinute = started.filter((at) => now - at < 60_000);
        expect(lastMinute.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

test("S3 more than thirty refusals a minute of one grant are refused outright; others are not", () => {
  let now = 0;
  const slots = new Slots(
    () => 0,
    () => now,
  );
  for (let i = 0; i < 31; i++) slots.countRefusal("a");
  expect(slots.tooManyRefusals("a")).toBe(60_000);
  expect(slots.tooManyRefusals("b")).toBeUndefined();
  now = 60_000;
  expect(slots.tooManyRefusals("a")).toBeUndefined();
});
