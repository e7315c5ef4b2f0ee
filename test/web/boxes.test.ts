// Box drawing in a real page without a graphics card: pixels along lines and areas, read from a picture
// of the page.

import { describe, expect, test } from "vitest";
import { startBrowser, Visitor } from "../support/browser.ts";
import { FakeRoom } from "../support/fake-room.ts";
import { PHONE } from "../support/fingers.ts";

const browser = await startBrowser();
const ROWS = 7;
const CELLS = 30;

/** A frame of rows and columns, in red, in each weight; then blocks, in green on blue. */
const SHOWN = [
  `┌${"─".repeat(8)}┐ ╔${"═".repeat(8)}╗`,
  ...Array.from({ length: ROWS - 2 }, () => `│${" ".repeat(8)}│ ║${" ".repeat(8)}║`),
  `└${"─".repeat(8)}┘ ╚${"═".repeat(8)}╝`,
].map((row) => `\u001B[31m${row}\u001B[32;44m█▌▐█\u001B[0m`);

const TEXT = `\u001B[2J\u001B[H\u001B[?25l${SHOWN.join("\r\n")}\r\nend`;

describe.skipIf(!browser)("boxes", () => {
  for (const [where, options] of [
    ["at a desk", { viewport: { width: 900, height: 500 } }],
    ["at a desk with fine pixels", { viewport: { width: 900, height: 500 }, deviceScaleFactor: 2 }],
    ["on a phone", PHONE],
  ] as const)
    test(`WT32 lines and blocks have no gaps between rows and cells ${where}`, async () => {
      const room = await FakeRoom.open();
      const ana = await Visitor.come(browser, room.link(), options);
      try {
        const peer = await room.arrived("edit");
        peer.bytes(0, TEXT);
        await ana.shows("end");
        // Down the frames' left sides, from the middle of the first row to the middle of the last.
        for (const column of [0, 9, 11, 20])
          expect([column, await gaps(ana, { column, row: 0.5, rows: ROWS - 1 })]).toEqual([
            column,
            0,
          ]);
        // Along their upper sides, between the middles of their corners.
        for (const [column, cols] of [
          [0.5, 9],
          [11.5, 9],
        ] as const)
          expect([column, await gaps(ana, { column, row: 0, cols })]).toEqual([column, 0]);
        // A column of full blocks.
        expect(await gaps(ana, { column: 21, row: 0.5, rows: ROWS - 1 })).toBe(0);
        // The probe sees a gap where there is one: the frame is empty.
        expect(await gaps(ana, { column: 4, row: 0.5, rows: ROWS - 1 })).toBeGreaterThan(0);
      } finally {
        await ana.leave();
        room.close();
      }
    });
});

interface Probe {
  /** In cells; a line is sought within one cell across. */
  readonly column: number;
  readonly row: number;
  readonly rows?: number;
  readonly cols?: number;
}

/** How many pixels of the best straight line through these cells are not of a colour. */
async function gaps(visitor: Visitor, probe: Probe): Promise<number> {
  const screen = visitor.page.locator(".xterm-screen");
  const picture = (await screen.screenshot()).toString("base64");
  const { cols } = await visitor.size();
  expect(cols).toBeGreaterThan(CELLS);
  return await visitor.page.evaluate(
    async ([base64, { column, row, rows, cols: along }]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      const terminal = document.querySelector<HTMLElement & { terminal?: Size }>(".host")?.terminal;
      if (!context || !terminal) throw new Error("no picture");
      context.drawImage(image, 0, 0);
      const { data, width } = context.getImageData(0, 0, image.width, image.height);
      // The picture of a screen that is wider than the window is cut.
      const box = document.querySelector(".xterm-screen")?.getBoundingClientRect() ?? new DOMRect();
      const wide = (box.width * devicePixelRatio) / terminal.cols;
      const high = (box.height * devicePixelRatio) / terminal.rows;
      // Red and green stand out by their first two channels alone.
      const isInk = (x: number, y: number): boolean => {
        const at = (y * width + x) * 4;
        const [red = 0, green = 0] = [data[at], data[at + 1]];
        return Math.abs(red - green) > 60;
      };
      const missed = (isVertical: boolean, across: number, from: number, to: number): number => {
        let count = 0;
        for (let at = Math.ceil(from); at < Math.floor(to); at += 1)
          if (!(isVertical ? isInk(across, at) : isInk(at, across))) count += 1;
        return count;
      };
      const isVertical = rows !== undefined;
      const size = isVertical ? wide : high;
      const first = Math.ceil((isVertical ? column : row) * size);
      const from = isVertical ? row * high : column * wide;
      const to = from + (isVertical ? rows * high : (along ?? 0) * wide);
      return Math.min(
        ...Array.from({ length: Math.floor(size) - 1 }, (_, step) =>
          missed(isVertical, first + step, from, to),
        ),
      );
    },
    [picture, probe] as const,
  );
}

interface Size {
  cols: number;
  rows: number;
}
