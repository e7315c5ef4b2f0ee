// Owns decoding sixel images: each character is a column of six dots. Pure, and bounded in pixels
// and work, since a few bytes can request a huge image. Also owns the colours of sixel images, as
// 32-bit canvas pixels (little endian).

import { MAX_PIXELS } from "./image-cells.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

const DOTS = 6;
const MAX_SIDE = 8192;
const MAX_COLORS = 1024;

/** Columns painted, including repetitions: enough to paint the largest image 16 times, once for each colour. */
const MAX_WORK = (MAX_PIXELS / DOTS) * 16;

const REPEAT = 0x21;
const RASTER = 0x22;
const COLOR = 0x23;
const RETURN = 0x24;
const NEXT = 0x2d;
const FIRST = 0x3f;
const LAST = 0x7e;

type OnColumns = (x: number, band: number, dots: number, count: number, color: number) => void;

/** Decodes an image; undefined if it is empty or too large. */
export function decodeSixel(data: string): Picture | undefined {
  let [width, height] = [0, 0];
  const isWithinLimits = walk(data, (x, band, dots, count) => {
    width = Math.max(width, x + count);
    height = Math.max(height, band * DOTS + 32 - Math.clz32(dots));
  });
  if (!isWithinLimits || width === 0 || height === 0 || width * height > MAX_PIXELS)
    return undefined;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const pixelWords = new Uint32Array(pixels.buffer);
  walk(data, (x, band, dots, count, color) => {
    for (let dot = 0; dot < DOTS; dot++) {
      if ((dots & (1 << dot)) === 0) continue;
      const at = (band * DOTS + dot) * width + x;
      pixelWords.fill(color, at, at + count);
    }
  });
  return { width, height, pixels };
}

/** Calls `column` for every run of columns with dots; returns false if the work exceeds the limit. */
function walk(data: string, column: OnColumns): boolean {
  const colors = new Map(STANDARD_COLORS.entries());
  let [x, band, count, work] = [0, 0, 1, 0];
  let color = colors.get(0) ?? 0;
  let at = 0;
  const numbers = (): number[] => {
    const found = /^[\d;]*/.exec(data.slice(at, at + 64))?.[0] ?? "";
    at += found.length;
    return found.split(";").map(Number);
  };
  while (at < data.length) {
    const code = data.charCodeAt(at);
    at += 1;
    if (code >= FIRST && code <= LAST) {
      const dots = code - FIRST;
      const run = Math.min(count, MAX_SIDE - x);
      work += run;
      if (work > MAX_WORK || band * DOTS > MAX_SIDE) return false;
      if (dots > 0 && run > 0) column(x, band, dots, run, color);
      x += run;
      count = 1;
    } else if (code === RETURN) x = 0;
    else if (code === NEXT) [x, band] = [0, band + 1];
    else if (code === REPEAT) count = Math.max(1, numbers()[0] ?? 1);
    else if (code === RASTER) numbers();
    else if (code === COLOR) {
      const [name = 0, system, ...values] = numbers();
      if (system !== undefined && colors.size < MAX_COLORS)
        colors.set(name, toPixel(system, values));
      color = colors.get(name) ?? color;
    }
  }
  return true;
}

/** The VT340's sixteen default colours, in percent. */
const STANDARD_COLORS: readonly number[] = [
  [0, 0, 0],
  [20, 20, 80],
  [80, 13, 13],
  [20, 80, 20],
  [80, 20, 80],
  [20, 80, 80],
  [80, 80, 20],
  [53, 53, 53],
  [26, 26, 26],
  [33, 33, 60],
  [60, 26, 26],
  [33, 60, 33],
  [60, 33, 60],
  [33, 60, 60],
  [60, 60, 33],
  [80, 80, 80],
].map((percents) => packPixel(percents.map((percent) => percent / 100)));

const HUE_LIGHTNESS_SATURATION = 1;

/** Converts a colour definition in HLS or RGB (percent) to a pixel. */
function toPixel(system: number, [a = 0, b = 0, c = 0]: readonly number[]): number {
  if (system !== HUE_LIGHTNESS_SATURATION) return packPixel([a / 100, b / 100, c / 100]);
  const [lightness, saturation] = [b / 100, c / 100];
  // In sixel's HLS, hue 0 is blue instead of red.
  const hue = (a + 240) % 360;
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const place = (offset + hue / 30) % 12;
    return lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  };
  return packPixel([channel(0), channel(8), channel(4)]);
}

function packPixel([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const byte = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 255);
  return ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
}
