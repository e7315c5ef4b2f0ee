import { expect, test } from "vitest";
import { toIdleHour } from "./idle-hour.ts";

test("B5 an hour has as many alarms as a real room's interval gives, each as long as those counted", () => {
  const watched = { alarms: ["a", "b"], awakeMs: 8, asked: 0 };
  expect(toIdleHour(watched, 60_000)).toEqual({ alarms: 60, awakeSeconds: 0.24 });
});

test("B6 a room that did not sleep, or asked its bridge, gives no figure", () => {
  expect(toIdleHour({ alarms: ["a", "a"], awakeMs: 8, asked: 0 }, 60_000)).toBeUndefined();
  expect(toIdleHour({ alarms: ["a", "b"], awakeMs: 8, asked: 1 }, 60_000)).toBeUndefined();
  expect(toIdleHour({ alarms: [], awakeMs: 0, asked: 0 }, 60_000)).toBeUndefined();
});
