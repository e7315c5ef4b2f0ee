// The state that peers get when a bridge is gone.

import { expect, test } from "vitest";
import { toAwayFacts } from "./farewell.ts";

const loss = { since: 1_000, isCut: false, isOneMachine: false };
const running = { state: "running", graceMs: 600_000 };

test("TU30 an end on purpose is reported as one, with who ended it and no count", () => {
  const farewell = { state: "ended", by: "window" };
  expect(toAwayFacts(farewell, { ...loss, isCut: true, isOneMachine: true })).toEqual({
    how: "ended",
    by: "window",
  });
});

test("TU30 TU46 a closed window and a crash leave terminals, until when is told", () => {
  const until = 601_000;
  const left = { state: "left", graceMs: 600_000 };
  expect(toAwayFacts(left, loss)).toEqual({ how: "left", until });
  const crash = { ...loss, isCut: true, isOneMachine: true };
  expect(toAwayFacts(running, crash)).toEqual({ how: "crashed", until });
});

test("TU46 only within one machine a cut is a crash; elsewhere no one knows, and nothing is promised", () => {
  expect(toAwayFacts(running, { ...loss, isCut: true })).toEqual({ how: "offline" });
  expect(toAwayFacts(running, { ...loss, isOneMachine: true })).toEqual({ how: "offline" });
  expect(toAwayFacts(undefined, loss)).toEqual({ how: "offline" });
  expect(toAwayFacts({ state: "of a later version" }, loss)).toEqual({ how: "offline" });
});
