// Owns the glyphs of pictures: GNU Unifont's, 16 rows of one byte or two, in the file beside this
// one (`scripts/make-font.mjs`). Read once, for the first picture.

import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

export const GLYPH_ROWS = 16;
export const GLYPH_COLUMNS = 8;

/** Bytes per row: 1 for glyphs of one cell, 2 for those of two. */
export type GlyphWidth = 1 | 2;

export interface Glyph {
  readonly width: GlyphWidth;
  /** 16 rows from the top, the leftmost pixel in the highest bit. */
  readonly rows: Uint8Array;
}

interface Range {
  readonly first: number;
  readonly count: number;
  readonly width: GlyphWidth;
  /** Offset of its first glyph. */
  readonly at: number;
}

const WORD = Uint32Array.BYTES_PER_ELEMENT;
const RANGE_WORDS = 3;

export class Font {
  readonly #ranges: readonly Range[];
  readonly #bytes: Buffer;

  /** Takes the unpacked content of the font file. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#ranges = readRanges(bytes);
  }

  /** Returns the glyph; undefined if the font has none, such as emoji and private use. */
  findGlyph(codePoint: number): Glyph | undefined {
    let low = 0;
    let high = this.#ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range === undefined) return undefined;
      if (codePoint < range.first) high = middle - 1;
      else if (codePoint >= range.first + range.count) low = middle + 1;
      else return this.#glyphIn(range, codePoint);
    }
    return undefined;
  }

  #glyphIn({ first, width, at }: Range, codePoint: number): Glyph {
    const length = GLYPH_ROWS * width;
    const from = at + (codePoint - first) * length;
    return { width, rows: this.#bytes.subarray(from, from + length) };
  }
}

function readRanges(bytes: Buffer): Range[] {
  const count = bytes.readUInt32LE(0);
  let at = WORD * (1 + RANGE_WORDS * count);
  return Array.from({ length: count }, (_, index) => {
    const from = WORD * (1 + RANGE_WORDS * index);
    const width: GlyphWidth = bytes.readUInt32LE(from + 2 * WORD) === 1 ? 1 : 2;
    const range = {
      first: bytes.readUInt32LE(from),
      count: bytes.readUInt32LE(from + WORD),
      width,
      at,
    };
    at += range.count * GLYPH_ROWS * width;
    return range;
  });
}

let loading: Promise<Font> | undefined;

/** Loads the font; after a failed read, the next picture tries again. */
export function loadFont(): Promise<Font> {
  loading ??= readFont().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readFont(): Promise<Font> {
  const packed = await readFile(new URL("unifont.br", import.meta.url));
  return new Font(await promisify(brotliDecompress)(packed));
}
