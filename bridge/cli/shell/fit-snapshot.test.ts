import { expect, test } from "vitest";
import { Emulator } from "../../screens/emulator.ts";
import { loadEmulator } from "../../screens/load-emulator.ts";
import type { Size } from "./fit-snapshot.ts";
import { fitSnapshot, fitsWindow } from "./fit-snapshot.ts";

const TERMINAL = { cols: 78, rows: 37 };

/** Returns what a window shows of a terminal with this output: its rows, and the cursor. */
async function show(output: string, window: Size) {
  const terminal = new Emulator(TERMINAL.cols, TERMINAL.rows);
  terminal.write(output);
  const snapshot = terminal.serialize();
  const here = new Emulator(window.cols, window.rows);
  here.write(fitSnapshot(await loadEmulator(), snapshot, TERMINAL, window));
  const buffer = here.terminal.buffer.active;
  const rows = Array.from({ length: window.rows }, (_, row) =>
    buffer.getLine(buffer.baseY + row)?.translateToString(true),
  );
  return { rows, cursor: [buffer.cursorX, buffer.cursorY] };
}

test("C123 a window that is lower than the terminal shows the rows with text, and the cursor behind them", async () => {
  const { rows, cursor } = await show("one\r\ntwo\r\nthree\r\n$ ", { cols: 100, rows: 30 });
  expect(rows.slice(0, 5)).toEqual(["one", "two", "three", "$ ", ""]);
  expect(cursor).toEqual([2, 3]);
});

test("C123 of a full screen it shows the part with the cursor, at the top or at the bottom", async () => {
  const full = Array.from({ length: 37 }, (_, row) => `row ${row}`).join("\r\n");
  const below = await show(full, { cols: 100, rows: 10 });
  expect([below.rows[0], below.rows[9], below.cursor]).toEqual(["row 27", "row 36", [6, 9]]);
  const above = await show(`\u001B[?1049h${full}\u001B[3;1H`, { cols: 100, rows: 10 });
  expect([above.rows[0], above.cursor]).toEqual(["row 0", [0, 2]]);
});

test("C123 in a narrower window long lines wrap", async () => {
  const { rows } = await show(`${"a".repeat(60)}\r\nnext`, { cols: 40, rows: 40 });
  expect(rows.slice(0, 3)).toEqual(["a".repeat(40), "a".repeat(20), "next"]);
});

test("C123 a snapshot that fits is written as it is", () => {
  expect(fitsWindow(TERMINAL, { cols: 78, rows: 37 })).toBe(true);
  expect(fitsWindow(TERMINAL, { cols: 100, rows: 36 })).toBe(false);
  expect(fitsWindow(TERMINAL, { cols: 77, rows: 50 })).toBe(false);
});
