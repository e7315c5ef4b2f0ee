// Reads pictures back: a PNG reader gets what was drawn.

import { inflateSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Emulator } from "../screens/emulator.ts";
import type { Color } from "./draw.ts";
import { renderPicture } from "./picture.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

const COLS = 20;
const ROWS = 4;
const CELL = { width: 16, height: 32 };
const GROUND = 0x12161c;
const TEXT = 0xd7dde5;
const CURSOR = 0x8fd3b6;

interface Read {
  readonly width: number;
  readonly height: number;
  readonly pixel: (x: number, y: number) => Color;
}

/** A minimal PNG reader: 8 bits, indexed or full colour, filters 0 and 2. */
function readPng(png: Buffer): Read {
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  expect([...chunks.keys()].at(-1)).toBe("IEND");
  const head = chunks.get("IHDR") ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const palette = chunks.get("PLTE");
  const size = palette === undefined ? 3 : 1;
  const raw = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  const length = 1 + width * size;
  expect(raw.length).toBe(length * height);
  const pixel = (x: number, y: number): Color => {
    const at = y * length + 1 + x * size;
    if (raw[y * length] === 2) {
      expect(raw.subarray(at, at + size).every((byte) => byte === 0)).toBe(true);
      return pixel(x, y - 1);
    }
    return palette === undefined
      ? raw.readUIntBE(at, 3)
      : palette.readUIntBE(3 * (raw[at] ?? 0), 3);
  };
  return { width, height, pixel };
}

async function shown(text: string, cols = COLS, rows = ROWS) {
  const emulator = new Emulator(cols, rows);
  emulator.write(text);
  const png = await renderPicture(emulator.look());
  emulator.dispose();
  return { png, picture: readPng(png) };
}

/** Returns the colours in one cell, most frequent first. */
function colorsIn({ pixel }: Read, column: number, row: number, columns = 1): Color[] {
  const counts = new Map<Color, number>();
  for (let y = 0; y < CELL.height; y++) {
    for (let x = 0; x < columns * CELL.width; x++) {
      const color = pixel(column * CELL.width + x, row * CELL.height + y);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
}

function inkIn(picture: Read, column: number, row: number, columns = 1): number {
  let ink = 0;
  for (let y = 0; y < CELL.height; y++) {
    for (let x = 0; x < columns * CELL.width; x++) {
      if (picture.pixel(column * CELL.width + x, row * CELL.height + y) !== GROUND) ink += 1;
    }
  }
  return ink;
}

test("Z40 Z65 characters of many scripts are drawn, wide ones over two cells, and a missing one as a box", async () => {
  const { picture } = await shown("aΩЖ✓\u2800⣿日e\u0301😀\u001b[?25l");
  expect([picture.width, picture.height]).toEqual([COLS * CELL.width, ROWS * CELL.height]);
  for (const column of [0, 1, 2, 3, 5]) expect(inkIn(picture, column, 0)).toBeGreaterThan(20);
  expect(inkIn(picture, 6, 0)).toBeGreaterThan(20);
  expect(inkIn(picture, 7, 0)).toBeGreaterThan(20);
  const plain = await shown("e\u001b[?25l");
  expect(inkIn(picture, 8, 0)).toBeGreaterThan(inkIn(plain.picture, 0, 0));
  expect(inkIn(picture, 9, 0, 2)).toBeGreaterThan(100);
  expect(inkIn(picture, 11, 0)).toBe(0);
});

test("Z65 lines of box drawing join from cell to cell", async () => {
  const { picture } = await shown("─────\r\n█████\u001b[?25l");
  const middle = Array.from({ length: CELL.height }, (_, y) => y).filter(
    (y) => picture.pixel(0, y) !== GROUND,
  );
  expect(middle.length).toBeGreaterThan(0);
  for (let x = 0; x < 5 * CELL.width; x++) {
    for (const y of middle) expect(picture.pixel(x, y)).toBe(TEXT);
  }
  expect(colorsIn(picture, 2, 1)).toEqual([TEXT]);
});

test("Z41 colours and looks are those of the screen", async () => {
  const looks = [
    "\u001b[31mA",
    "\u001b[0;48;5;196mB",
    "\u001b[0;38;2;1;2;3mC",
    "\u001b[0;7mD",
    "\u001b[0;8mE",
    "\u001b[0;2mF",
    "\u001b]4;2;#0a0b0c\u001b\\\u001b[0;32mG",
  ];
  const { picture } = await shown(`${looks.join("")}\u001b[0m`);
  expect(colorsIn(picture, 0, 0)).toEqual([GROUND, 0xf2828b]);
  expect(colorsIn(picture, 1, 0)).toEqual([0xff0000, TEXT]);
  expect(colorsIn(picture, 2, 0)).toEqual([GROUND, 0x010203]);
  expect(colorsIn(picture, 3, 0)).toEqual([TEXT, GROUND]);
  expect(colorsIn(picture, 4, 0)).toEqual([GROUND]);
  expect(colorsIn(picture, 5, 0)[1]).toBe(0x747980);
  expect(colorsIn(picture, 6, 0)).toEqual([GROUND, 0x0a0b0c]);
});

test("Z41 bold, italic, underline, strike-through and overline change the pixels as they say", async () => {
  const { picture } = await shown(
    "l\u001b[1ml\u001b[0;4m \u001b[0;9m \u001b[0;53m \u001b[0;3ml\u001b[0m\u001b[?25l",
  );
  expect(inkIn(picture, 1, 0)).toBeGreaterThan(inkIn(picture, 0, 0));
  const rowsWithInk = (column: number) =>
    Array.from({ length: CELL.height }, (_, y) => y).filter(
      (y) => picture.pixel(column * CELL.width, y) === TEXT,
    );
  expect(rowsWithInk(2)).toEqual([28, 29]);
  expect(rowsWithInk(3)).toEqual([16, 17]);
  expect(rowsWithInk(4)).toEqual([0, 1]);
  expect(inkIn(picture, 5, 0)).toBe(inkIn(picture, 0, 0));
});

test("Z41 the cursor is a block over its cell, and gone while the program hides it", async () => {
  const { picture } = await shown("ab\u001b[1;1H");
  expect(colorsIn(picture, 0, 0)).toEqual([CURSOR, GROUND]);
  const hidden = await shown("ab\u001b[1;1H\u001b[?25l");
  expect(colorsIn(hidden.picture, 0, 0)).toEqual([GROUND, TEXT]);
});

test("Z42 at 80×24 a picture has at most 200 KB, whatever is on the screen", async () => {
  const worst = Array.from({ length: 80 * 24 }, (_, at) => {
    const color = (at * 2_654_435_761) >>> 8;
    const [r, g, b] = [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];
    const glyph = String.fromCodePoint(0x2801 + (at % 255));
    return `\u001b[38;2;${r};${g};${b};48;2;${b};${r};${g}m${glyph}`;
  });
  const { png } = await shown(worst.join(""), 80, 24);
  expect(png.length).toBeLessThan(200_000);
});

test("Z40 any text in any window gives a picture of the right size that reads back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.integer({ min: 2, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      async (text, cols, rows) => {
        const { picture } = await shown(text, cols, rows);
        const scale = Math.max(cols * 16, rows * 32) <= 1_600 ? 2 : 1;
        expect([picture.width, picture.height]).toEqual([cols * 8 * scale, rows * 16 * scale]);
      },
    ),
    { numRuns: 20 },
  );
});
