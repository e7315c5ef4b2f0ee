// One recording with a modelled terminal and file: order, overlaps, a slow disk, lost bytes.

import { expect, test } from "vitest";
import { encodeCastHeader, readCast } from "../../protocol/asciicast.ts";
import type { Reader } from "../terminals/readers.ts";
import type { ScreenSnapshot } from "./recorder.ts";
import { Recorder } from "./recorder.ts";

/** `tick`: how far the clock advances on every read. */
function world(limit = Infinity, tick = 0) {
  let now = 1_000_000;
  let pending = 0;
  const lines: string[] = [];
  const asked: string[] = [];
  const ended: string[] = [];
  let still: ScreenSnapshot = { offset: 10, cols: 80, rows: 24, data: "screen" };
  let isClosed = false;
  let isFull = false;
  const file = {
    append: (line: string, isLast = false) => {
      if (lines.join("").length + line.length > limit && !isLast) return false;
      lines.push(line);
      return true;
    },
    close: () => {
      isClosed = true;
      return !isFull;
    },
    get pending() {
      return pending;
    },
  };
  const recorder = new Recorder(file, {
    source: {
      read: (_reader: Reader, from, credit) => {
        asked.push(`read ${from}${credit === Number.MAX_SAFE_INTEGER ? "" : ` ${credit}`}`);
      },
      park: (_reader, from) => void asked.push(`park ${from}`),
      unread: () => void asked.push("unread"),
    },
    takeSnapshot: async () => still,
    now: () => (now += tick),
    onEnded: (why) => void ended.push(why),
  });
  const print = (offset: number, text: string | Uint8Array) => {
    const body = Buffer.from(text);
    recorder.onOutput({ offset, span: body.length, body });
  };
  const events = () => {
    const read = readCast(lines.join(""));
    return read.ok ? read.cast.events.map(({ at, code, data }) => [at, code, data]) : read.error;
  };
  lines.push(encodeCastHeader({ ...still, startedAt: now, title: "t" }));
  recorder.start(still);
  return {
    recorder,
    print,
    events,
    asked,
    ended,
    isClosed: () => isClosed,
    fill: () => (isFull = true),
    pass: (milliseconds: number) => (now += milliseconds),
    holdUp: (bytes: number) => (pending = bytes),
    shows: (next: ScreenSnapshot) => (still = next),
  };
}

const close = (value: unknown) => expect.closeTo(Number(value), 3);

test("RE2 a recording begins with the screen and goes on with every byte behind it, once", () => {
  const { recorder, print, events, asked, pass } = world();
  expect(asked).toEqual(["read 10"]);
  pass(500);
  print(5, "xxxxxnew");
  print(8, "xxnew");
  pass(250);
  const euro = Buffer.from("€");
  print(13, euro.subarray(0, 1));
  print(14, euro.subarray(1));
  recorder.onResized(90, 30);
  recorder.mark("Ada\u001B[2J is\ntyping");
  expect(events()).toEqual([
    [0, "o", "screen"],
    [0.5, "o", "new"],
    [0.75, "o", "€"],
    [0.75, "r", "90x30"],
    [0.75, "m", "Ada [2J is typing"],
  ]);
});

test("RE2 a character that two frames share is whole, though the first frame's memory is used again", () => {
  const { recorder, print, events } = world();
  const bytes = Buffer.from("a€");
  const lent = Buffer.from(bytes.subarray(0, 3));
  recorder.onOutput({ offset: 10, span: 3, body: lent });
  lent.fill(0);
  print(13, bytes.subarray(3));
  expect(events().slice(1)).toEqual([
    [close(0), "o", "a"],
    [close(0), "o", "€"],
  ]);
});

test("RE2 the screen stands at zero, however slow the machine", () => {
  expect(world(Infinity, 2).events()).toEqual([[0, "o", "screen"]]);
});

test("RE2 times do not drift, however often they are rounded", () => {
  const { print, events, pass } = world();
  for (let count = 0; count < 1_000; count++) {
    pass(0.6);
    print(10 + count, "x");
  }
  const last = events().at(-1);
  expect(last?.[0]).toEqual(close(0.6));
});

test("RE5 RE24 a disk that does not keep up lets go of the terminal, and takes it again from there", () => {
  const { recorder, print, asked, holdUp, events } = world();
  holdUp(5 << 20);
  print(10, "abc");
  expect(asked).toEqual(["read 10", "park 13"]);
  print(13, "lost?");
  holdUp(0);
  recorder.onDrained();
  expect(asked.at(-1)).toBe("read 13");
  print(13, "def");
  expect(events()).toEqual([
    [0, "o", "screen"],
    [0, "o", "abc"],
    [0, "o", "def"],
  ]);
});

test("RE24 bytes that are gone are marked, and it goes on from the screen", async () => {
  const { recorder, print, asked, events, shows } = world();
  print(10, "abc");
  shows({ offset: 5_000, cols: 100, rows: 30, data: "later" });
  recorder.onGap({ from: 13, to: 4_013 });
  await Promise.resolve();
  await Promise.resolve();
  print(5_000, "on");
  expect(asked.slice(1)).toEqual(["park 4013", "read 5000"]);
  expect(events()).toEqual([
    [0, "o", "screen"],
    [0, "o", "abc"],
    [0, "m", "4000 bytes were printed too fast to be recorded"],
    [0, "r", "100x30"],
    [0, "o", "\u001Bclater"],
    [0, "o", "on"],
  ]);
});

test("RE2 the exit is the last event, behind the last byte; a signal is 128 and its number", () => {
  const { recorder, print, events, ended, isClosed, asked } = world();
  recorder.onExited({ exitCode: null, signal: "SIGTERM" }, 13);
  expect(ended).toEqual([]);
  print(10, "end");
  expect(events().at(-1)).toEqual([0, "x", "143"]);
  expect([ended, isClosed(), asked.at(-1)]).toEqual([["exit"], true, "unread"]);
  recorder.mark("too late");
  expect(events()).toHaveLength(3);
});

test("RE20 at its limit it says so as its last words, and ends", () => {
  const { print, events, ended, isClosed } = world(400);
  print(10, "x".repeat(100));
  print(110, "x".repeat(300));
  print(410, "more");
  expect(events()).toHaveLength(3);
  expect(events().at(-1)).toEqual([0, "m", "the recording has reached its limit"]);
  expect([ended, isClosed()]).toEqual([["limit"], true]);
});

test("RE20 one whose last words found no room says so instead of why it ended", () => {
  const { recorder, ended, asked, fill } = world();
  fill();
  recorder.onExited({ exitCode: 0, signal: null }, 10);
  expect([ended, asked.at(-1)]).toEqual([["disk"], "unread"]);
});
