import { expect, test } from "vitest";
import { ACK_BYTES, ACK_MS, WATCHER_ACK_BYTES } from "../../protocol/limits.ts";
import { Acks } from "./acks.ts";

function setUp(eager = true, watches: (id: string) => boolean = () => false) {
  const sent: Record<string, number>[] = [];
  const timers: { run: () => void; ms: number; live: boolean }[] = [];
  const acks = new Acks({
    send: (news) => sent.push(Object.fromEntries(news)),
    eager,
    isDrivenByOther: watches,
    schedule: (run, ms) => {
      const timer = { run, ms, live: true };
      timers.push(timer);
      return () => {
        timer.live = false;
      };
    },
  });
  const tick = (): void => {
    for (const timer of timers.splice(0)) if (timer.live) timer.run();
  };
  acks.restart("a", 0);
  acks.restart("b", 0);
  return { acks, sent, timers, tick };
}

test("W74 a little output of several terminals is acked in one message, after a short while", () => {
  const { acks, sent, timers, tick } = setUp();
  acks.onRendered("a", 10);
  acks.onRendered("b", 7);
  acks.onRendered("a", 25);
  expect(sent).toEqual([]);
  expect(timers.map(({ ms }) => ms)).toEqual([ACK_MS]);
  tick();
  expect(sent).toEqual([{ a: 25, b: 7 }]);
  tick();
  acks.onRendered("b", 9);
  tick();
  expect(sent).toEqual([{ a: 25, b: 7 }, { b: 9 }]);
});

test("W75 much output is acked at once, and no timer stays behind", () => {
  const { acks, sent, timers } = setUp();
  acks.onRendered("a", 1);
  acks.onRendered("b", ACK_BYTES);
  expect(sent).toEqual([{ a: 1, b: ACK_BYTES }]);
  expect(timers.some(({ live }) => live)).toBe(false);
});

test("W75 what someone else drives is acked in larger steps, until we drive", () => {
  let watched = true;
  const { acks, sent } = setUp(true, (id) => id === "a" && watched);
  acks.onRendered("a", WATCHER_ACK_BYTES - 1);
  expect(sent).toEqual([]);
  acks.onRendered("a", WATCHER_ACK_BYTES);
  expect(sent).toEqual([{ a: WATCHER_ACK_BYTES }]);
  acks.onRendered("b", ACK_BYTES / 2);
  acks.onRendered("a", 1.5 * WATCHER_ACK_BYTES);
  expect(sent.at(-1)).toEqual({ a: 1.5 * WATCHER_ACK_BYTES, b: ACK_BYTES / 2 });
  watched = false;
  acks.onRendered("a", 1.5 * WATCHER_ACK_BYTES + ACK_BYTES);
  expect(sent).toHaveLength(3);
});

test("W76 to a relay that bills messages, much output waits for the timer too", () => {
  const { acks, sent, tick } = setUp(false);
  for (let at = ACK_BYTES; at <= 10 * ACK_BYTES; at += ACK_BYTES) acks.onRendered("a", at);
  expect(sent).toEqual([]);
  tick();
  expect(sent).toEqual([{ a: 10 * ACK_BYTES }]);
});

test("W3 a clean screen forgets what was rendered before it", () => {
  const { acks, sent, tick } = setUp();
  acks.onRendered("a", 500);
  acks.restart("a", 100);
  tick();
  expect(sent).toEqual([]);
  acks.onRendered("a", 140);
  tick();
  expect(sent).toEqual([{ a: 140 }]);
});

test("W74 a screen without a byte behind it is acked too, and again after a new attach", () => {
  const { acks, sent, tick } = setUp();
  acks.restart("a", 10_000_000);
  acks.onRendered("a", 10_000_000);
  expect(sent).toEqual([]);
  tick();
  acks.resend("a");
  tick();
  expect(sent).toEqual([{ a: 10_000_000 }, { a: 10_000_000 }]);
});

test("W3 a terminal that is no longer shown is not acked", () => {
  const { acks, sent, tick } = setUp();
  acks.onRendered("a", 500);
  acks.onRendered("b", 5);
  acks.forget("a");
  acks.onRendered("a", 600);
  tick();
  expect(sent).toEqual([{ b: 5 }]);
});
