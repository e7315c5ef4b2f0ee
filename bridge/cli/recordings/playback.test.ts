// Playing in time, with a clock of the test's own. What a window shows before and behind a
// recording, by an emulator.

import { Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { Playback, emptyScreen, leaveScreen } from "./playback.ts";

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

const ESC = "\u001B";

async function shown(
  ...parts: string[]
): Promise<{ screen: string[]; above: string[]; row: number }> {
  const term = new Terminal({ cols: 20, rows: 6, scrollback: 100, allowProposedApi: true });
  await new Promise<void>((resolve) =>
    term.write(parts.join("").replaceAll("\n", "\r\n"), resolve),
  );
  const { active } = term.buffer;
  const line = (at: number) => active.getLine(at)?.translateToString(true) ?? "";
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => line(from + at));
  const base = active.baseY;
  return { screen: lines(base, 6), above: lines(0, base), row: active.cursorY };
}

test("RE27 it plays on an empty screen, and what was there is above it", async () => {
  const used = `one\ntwo\n${ESC}[41mthree`;
  const { screen, above } = await shown(used, emptyScreen({ rows: 6 }), `a${ESC}[3;3Hb`);
  expect(screen).toEqual(["a", "", "  b", "", "", ""]);
  expect(above.slice(0, 3)).toEqual(["one", "two", "three"]);
});

test("RE27 its last screen stays readable, and the next prompt is below all of it", async () => {
  const recorded = `${ESC}[2;4rtop${ESC}[4;1Hlast${ESC}[1;2H${ESC}[?25l`;
  const { screen, row } = await shown(
    emptyScreen({ rows: 6 }),
    recorded,
    leaveScreen({ rows: 6 }, { rows: 4 }),
    "$ ",
  );
  expect(screen).toEqual(["top", "", "", "last", "$ ", ""]);
  expect(row).toBe(4);
  // As high as the window, or higher: it scrolls.
  const high = await shown(
    emptyScreen({ rows: 6 }),
    recorded,
    leaveScreen({ rows: 6 }, { rows: 40 }),
    "$ ",
  );
  expect(high.screen).toEqual(["", "", "last", "", "", "$ "]);
  expect(high.above.at(-1)).toBe("top");
});
