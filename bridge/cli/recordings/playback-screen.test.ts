// What a window shows before and behind a recording, by an emulator.

import { Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { emptyScreen, leaveScreen } from "./playback-screen.ts";

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
