// Playing in time, with a clock of the test's own.

import { expect, test } from "vitest";
import { Playback } from "./playback.ts";

function world(speed = 1) {
  let now = 0;
  let timer: { at: number; action: () => void } | undefined;
  const written: string[] = [];
  let isDone = false;
  const events = [1, 2, 4].map((at) => ({ at, code: "o" as const, data: `${at}` }));
  const mark = { at: 3, code: "m" as const, data: "a marker" };
  const playback = new Playback({ events: [...events, mark] }, speed, {
    write: (data) => void written.push(data),
    onDone: () => (isDone = true),
    now: () => now,
    setTimer: (action, milliseconds) => {
      timer = { at: now + milliseconds, action };
      return () => (timer = undefined);
    },
  });
  const pass = (milliseconds: number) => {
    const end = now + milliseconds;
    while (timer !== undefined && timer.at <= end) {
      const due = timer;
      timer = undefined;
      now = due.at;
      due.action();
    }
    now = end;
  };
  return { playback, written, pass, isDone: () => isDone };
}

test("RE8 output comes when it came, faster by the speed, and the end is told", () => {
  const { playback, written, pass, isDone } = world(2);
  playback.start();
  pass(499);
  expect(written).toEqual([]);
  pass(1);
  expect(written).toEqual(["1"]);
  pass(1_499);
  expect([written, isDone()]).toEqual([["1", "2"], false]);
  pass(1);
  expect([written, isDone()]).toEqual([["1", "2", "4"], true]);
});

test("RE8 a pause takes no time of the recording, and a step plays one output", () => {
  const { playback, written, pass, isDone } = world();
  playback.start();
  pass(1_500);
  playback.toggle();
  pass(60_000);
  expect(written).toEqual(["1"]);
  playback.step();
  expect([written, playback.isPaused]).toEqual([["1", "2"], true]);
  pass(60_000);
  playback.toggle();
  pass(1_999);
  expect(written).toEqual(["1", "2"]);
  pass(1);
  expect([written, isDone()]).toEqual([["1", "2", "4"], true]);
});
