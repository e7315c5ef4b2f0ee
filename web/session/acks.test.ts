import { expect, test } from "vitest";
import { ACK_BYTES, ACK_MS, Acks } from "./acks.ts";

function setUp() {
  const sent: number[] = [];
  const timers: { run: () => void; ms: number; live: boolean }[] = [];
  const acks = new Acks(
    (offset) => sent.push(offset),
    (run, ms) => {
      const timer = { run, ms, live: true };
      timers.push(timer);
      return () => {
        timer.live = false;
      };
    },
  );
  const tick = (): void => {
    for (const timer of timers.splice(0)) if (timer.live) timer.run();
  };
  return { acks, sent, timers, tick };
}

test("W3 a little output is acked once, after a short while", () => {
  const { acks, sent, timers, tick } = setUp();
  acks.rendered(10);
  acks.rendered(25);
  expect(sent).toEqual([]);
  expect(timers.map(({ ms }) => ms)).toEqual([ACK_MS]);
  tick();
  expect(sent).toEqual([25]);
  tick();
  expect(sent).toEqual([25]);
});

test("W3 much output is acked at once, and no timer stays behind", () => {
  const { acks, sent, timers } = setUp();
  acks.rendered(1);
  acks.rendered(ACK_BYTES);
  expect(sent).toEqual([ACK_BYTES]);
  expect(timers.some(({ live }) => live)).toBe(false);
});

test("W3 a clean screen forgets what was rendered before it", () => {
  const { acks, sent, tick } = setUp();
  acks.rendered(500);
  acks.restart(100);
  tick();
  expect(sent).toEqual([]);
  acks.rendered(140);
  tick();
  expect(sent).toEqual([140]);
});
