// Owns the drawing: converts cells to pixels, each an index into a list of colours. Pure. Knows no
// file format. Also owns the cells of a picture: character, colours and style of each.

import type { Font, Glyph } from "./font.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS } from "./font.ts";

/** 0xRRGGBB. */
export type Color = number;

export interface PictureCell {
  /** A character with its combining marks; "" for an empty cell. */
  readonly text: string;
  /** Number of columns; 0 for the second half of a wide character. */
  readonly width: number;
  readonly color: Color;
  readonly background: Color;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strikethrough: boolean;
  readonly overline: boolean;
}

export interface PictureSource {
  readonly cols: number;
  readonly rows: number;
  readonly getCell: (column: number, row: number) => PictureCell;
  /** Undefined while the program hides it. */
  readonly cursor: { readonly x: number; readonly y: number; readonly color: Color } | undefined;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly colors: readonly Color[];
  /** Row by row, the index of each pixel's colour in `colors`. */
  readonly pixels: Uint16Array;
}

const OVERLINE_ROW = 0;
const STRIKE_ROW = 8;
const UNDERLINE_ROW = 14;

/** In italics, rows above this one lean right, rows below it left. */
const LEAN_ROW = 10;
const LEAN_SHIFT = 2;

/** Draws the cells; one pixel of the font is one of the drawing. */
export function drawPicture(source: PictureSource, font: Pick<Font, "findGlyph">): Drawing {
  const { cols, rows, cursor } = source;
  const canvas = new Canvas(cols * GLYPH_COLUMNS, rows * GLYPH_ROWS);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < cols; column++) {
      const cell = source.getCell(column, row);
      if (cell.width === 0) continue;
      const isCursor = cursor !== undefined && cursor.y === row && covers(column, cell, cursor.x);
      const shown = isCursor ? { ...cell, color: cell.background, background: cursor.color } : cell;
      drawCell(canvas, font, shown, column * GLYPH_COLUMNS, row * GLYPH_ROWS);
    }
  }
  return canvas;
}

function covers(column: number, { width }: PictureCell, x: number): boolean {
  return x >= column && x < column + Math.max(1, width);
}

class Canvas implements Drawing {
  readonly width: number;
  readonly height: number;
  readonly colors: Color[] = [];
  readonly pixels: Uint16Array;
  readonly #numbers = new Map<Color, number>();

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint16Array(width * height);
  }

  number(color: Color): number {
    const known = this.#numbers.get(color);
    if (known !== undefined) return known;
    const number = this.colors.push(color) - 1;
    this.#numbers.set(color, number);
    return number;
  }

  /** Draws a horizontal line, clipped at the edge. */
  line(x: number, y: number, length: number, number: number): void {
    const from = y * this.width + x;
    this.pixels.fill(number, from, from + Math.min(length, this.width - x));
  }

  dot(x: number, y: number, number: number): void {
    if (x >= 0 && x < this.width) this.pixels[y * this.width + x] = number;
  }
}

function drawCell(
  canvas: Canvas,
  font: Pick<Font, "findGlyph">,
  cell: PictureCell,
  x: number,
  y: number,
): void {
  const width = cell.width * GLYPH_COLUMNS;
  const background = canvas.number(cell.background);
  for (let row = 0; row < GLYPH_ROWS; row++) canvas.line(x, y + row, width, background);
  const ink = canvas.number(cell.color);
  for (const character of cell.text) {
    const glyph = findGlyph(font, character, cell.width);
    if (glyph !== undefined) drawGlyph(canvas, glyph, cell, ink, x, y);
  }
  if (cell.underline) canvas.line(x, y + UNDERLINE_ROW, width, ink);
  if (cell.strikethrough) canvas.line(x, y + STRIKE_ROW, width, ink);
  if (cell.overline) canvas.line(x, y + OVERLINE_ROW, width, ink);
}

function findGlyph(
  font: Pick<Font, "findGlyph">,
  character: string,
  width: number,
): Glyph | undefined {
  if (character === " ") return undefined;
  const point = character.codePointAt(0) ?? 0;
  if (isSelector(point)) return undefined;
  return font.findGlyph(point) ?? getMissingGlyph(width);
}

/** Whether it is a joiner or a variation selector, which are invisible. */
function isSelector(point: number): boolean {
  return point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f);
}

function drawGlyph(
  canvas: Canvas,
  { width, rows }: Glyph,
  { bold, italic, width: columns }: PictureCell,
  ink: number,
  x: number,
  y: number,
): void {
  const most = Math.min(width, columns) * GLYPH_COLUMNS;
  for (let row = 0; row < GLYPH_ROWS; row++) {
    const lean = italic ? (LEAN_ROW - row) >> LEAN_SHIFT : 0;
    const wide = width === 1 ? (rows[row] ?? 0) << 8 : getWideRow(rows, row);
    const bits = width > columns ? halveWidth(wide) : wide;
    for (let column = 0; column < most; column++) {
      if ((bits & (0x8000 >>> column)) === 0) continue;
      canvas.dot(x + column + lean, y + row, ink);
      if (bold) canvas.dot(x + Math.min(column + lean + 1, most), y + row, ink);
    }
  }
}

function getWideRow(rows: Uint8Array, row: number): number {
  return ((rows[2 * row] ?? 0) << 8) | (rows[2 * row + 1] ?? 0);
}

/** Halves the width of a two-cell glyph, such as ✓, for a cell of one. */
function halveWidth(bits: number): number {
  let half = 0;
  for (let column = 0; column < GLYPH_COLUMNS; column++) {
    if ((bits & (0xc000 >>> (2 * column))) !== 0) half |= 0x8000 >>> column;
  }
  return half;
}

const NARROW_BOX: Glyph = { width: 1, rows: createBoxRows(1) };
const WIDE_BOX: Glyph = { width: 2, rows: createBoxRows(2) };

/** Returns an empty box for a missing glyph. */
function getMissingGlyph(width: number): Glyph {
  return width === 2 ? WIDE_BOX : NARROW_BOX;
}

function createBoxRows(width: 1 | 2): Uint8Array {
  const side = width === 1 ? [0x42] : [0x40, 0x02];
  const edge = width === 1 ? [0x7e] : [0x7f, 0xfe];
  const empty = width === 1 ? [0] : [0, 0];
  const rows = Array.from({ length: GLYPH_ROWS }, (_, row) => {
    if (row < 2 || row > 13) return empty;
    return row === 2 || row === 13 ? edge : side;
  });
  return Uint8Array.from(rows.flat());
}
