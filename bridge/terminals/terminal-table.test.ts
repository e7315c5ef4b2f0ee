import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { waitUntil } from "../reading/wait-until.ts";
import { Watchers } from "./terminal-table.ts";

test("T9 whoever watches a terminal is told of its activity and its end, until it stops", () => {
  const watchers = new Watchers<object>();
  const [one, other] = [{}, {}];
  const events: string[] = [];
  const stop = watchers.watch(one, () => events.push("first"));
  watchers.watch(one, () => events.push("second"));
  watchers.watch(other, () => events.push("other"));
  watchers.notify(one);
  expect(events.splice(0)).toEqual(["first", "second"]);
  stop();
  stop();
  watchers.end(one);
  watchers.notify(one);
  expect(events).toEqual(["second"]);
  expect(watchers.count).toBe(1);
});

test("T9 one that stops while it is told, or watches anew, costs the others nothing", () => {
  const watchers = new Watchers<object>();
  const terminal = {};
  let events = 0;
  const stop = watchers.watch(terminal, () => {
    stop();
    watchers.watch(terminal, () => events++);
  });
  watchers.watch(terminal, () => events++);
  watchers.notify(terminal);
  expect(events).toBe(1);
  watchers.end(terminal);
  expect([events, watchers.count]).toEqual([3, 0]);
});

test("S20 a wait that has ended leaves no one listening, however it ended", async () => {
  const watchers = new Watchers<object>();
  const terminal = {};
  let text = "";
  let isOver = false;
  const watched = {
    isOver: () => isOver,
    text: () => Promise.resolve(text),
    subscribe: (listener: () => void) => watchers.watch(terminal, listener),
  };
  const leaving = new AbortController();
  const wait = (signal = new AbortController().signal, timeoutMs = 60_000) =>
    waitUntil(watched, {}, (piece) => piece.includes("ready"), timeoutMs, signal);
  const timedOut = wait(undefined, 1);
  const cancelled = wait(leaving.signal);
  expect(watchers.count).toBe(2);
  leaving.abort();
  expect(await Promise.all([timedOut, cancelled])).toEqual(["timeout", "cancelled"]);
  const found = wait();
  text = "ready";
  watchers.notify(terminal);
  expect(await found).toBe("pattern");
  text = "";
  const ended = wait();
  await setImmediate();
  expect(watchers.count).toBe(1);
  isOver = true;
  watchers.end(terminal);
  expect(await ended).toBe("exit");
  expect(watchers.count).toBe(0);
});
