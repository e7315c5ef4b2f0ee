// Notices of people who join and leave.

import { expect, test } from "vitest";
import { ArrivalNotices } from "./arrival-notices.ts";

function world() {
  const notices: string[] = [];
  let now = 0;
  let timers: { at: number; action: () => void }[] = [];
  const arrivals = new ArrivalNotices({
    print: (line) => notices.push(line),
    now: () => now,
    setTimer: (action, milliseconds) => {
      const timer = { at: now + milliseconds, action };
      timers.push(timer);
      return { cancel: () => (timers = timers.filter((one) => one !== timer)) };
    },
  });
  const pass = (milliseconds: number) => {
    now += milliseconds;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { action } of due) action();
  };
  return { arrivals, notices, pass };
}

const ada = { key: "a", name: "Ada (view)" };

test("C13 who comes and who goes is a line each", () => {
  const { arrivals, notices, pass } = world();
  arrivals.onJoined(ada);
  pass(20_000);
  arrivals.onLeft(ada);
  pass(5_000);
  expect(notices).toEqual(["Ada (view) joined", "Ada (view) left"]);
});

test("C13 a reload is no news, however often", () => {
  const { arrivals, notices, pass } = world();
  arrivals.onJoined(ada);
  for (let reload = 0; reload < 50; reload++) {
    arrivals.onLeft(ada);
    pass(500);
    arrivals.onJoined(ada);
    pass(10_000);
  }
  expect(notices).toEqual(["Ada (view) joined"]);
});

test("C13 a crowd is a few lines and a sum; afterwards single people are told again", () => {
  const { arrivals, notices, pass } = world();
  for (let n = 0; n < 100; n++) arrivals.onJoined({ key: String(n), name: `P${n} (view)` });
  for (let n = 0; n < 30; n++) arrivals.onLeft({ key: String(n), name: `P${n} (view)` });
  pass(5_000);
  pass(20_000);
  expect(notices).toEqual([
    ...[0, 1, 2, 3, 4].map((n) => `P${n} (view) joined`),
    "95 more joined, 30 more left",
  ]);
  arrivals.onJoined(ada);
  expect(notices.at(-1)).toBe("Ada (view) joined");
});
