// Owns the size of a picture of a screen: easy to read, and not larger than useful. Also owns the
// file format: a drawing as a PNG, enlarged by whole pixels. Indexed if its colours fit, else in
// full colour.

import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import type { Drawing, PictureSource } from "./draw.ts";
import { drawPicture } from "./draw.ts";
import { loadFont } from "./font.ts";

/** Vision models scale larger pictures down. */
const MAX_PIXELS = 1_600;

export async function renderPicture(source: PictureSource): Promise<Buffer> {
  const drawing = drawPicture(source, await loadFont());
  const scale = 2 * Math.max(drawing.width, drawing.height) <= MAX_PIXELS ? 2 : 1;
  return await encodePng(drawing, scale);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_INDEXED = 256;
const INDEXED = 3;
const FULL_COLOR = 2;
const BITS = 8;

/** PNG row filters: none, and the difference to the row above. */
const FILTER_NONE = 0;
const FILTER_UP = 2;

/** Encodes a PNG; each pixel becomes `scale` × `scale`. */
export async function encodePng(drawing: Drawing, scale: number): Promise<Buffer> {
  const { width, height, colors } = drawing;
  const isIndexed = colors.length <= MAX_INDEXED;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width * scale, 0);
  head.writeUInt32BE(height * scale, 4);
  head.set([BITS, isIndexed ? INDEXED : FULL_COLOR], 8);
  // Off the event loop, so that keystrokes are not delayed.
  const data = await promisify(deflate)(toRows(drawing, scale, isIndexed ? 1 : 3));
  const palette = isIndexed ? [chunk("PLTE", Buffer.from(colors.flatMap(toRgbBytes)))] : [];
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    ...palette,
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function toRows(
  { width, height, colors, pixels }: Drawing,
  scale: number,
  bytesPerPixel: 1 | 3,
): Buffer {
  const length = 1 + width * scale * bytesPerPixel;
  const rows = Buffer.alloc(length * height * scale);
  const parts = colors.map(toRgbBytes);
  for (let y = 0; y < height; y++) {
    let at = y * scale * length;
    rows[at++] = FILTER_NONE;
    for (let x = 0; x < width; x++) {
      const number = pixels[y * width + x] ?? 0;
      for (let times = 0; times < scale; times++) {
        if (bytesPerPixel === 1) rows[at++] = number;
        else for (const part of parts[number] ?? []) rows[at++] = part;
      }
    }
    // The copies do not differ from the row above.
    for (let copy = 1; copy < scale; copy++) rows[(y * scale + copy) * length] = FILTER_UP;
  }
  return rows;
}

function toRgbBytes(color: number): number[] {
  return [(color >>> 16) & 0xff, (color >>> 8) & 0xff, color & 0xff];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
