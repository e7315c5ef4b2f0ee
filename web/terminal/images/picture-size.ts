// Owns how large a picture file may become when a browser unpacks it, read from the file alone. A file
// may name several sizes, and browsers differ in which they follow: the largest counts, and a file that
// can be read in two ways is no picture here. Pure.

export interface PictureSize {
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

/** PNG, GIF and JPEG. Undefined for anything else, and for what holds no pixels. */
export function sizeOf(bytes: Uint8Array<ArrayBuffer>): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const type = typeOf(view);
  if (type === undefined) return undefined;
  try {
    const area = largest(READERS[type](view));
    return area.width > 0 && area.height > 0 ? { type, ...area } : undefined;
  } catch (error) {
    // Cut off or ambiguous where a size could stand.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const READERS = { "image/png": areasOfPng, "image/gif": areasOfGif, "image/jpeg": areasOfJpeg };

function typeOf(view: DataView): keyof typeof READERS | undefined {
  if (view.byteLength < 24) return undefined;
  const start = view.getUint32(0);
  if (start === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) return "image/png";
  if (start === 0x47494638) return "image/gif";
  return start >>> 8 === 0xffd8ff ? "image/jpeg" : undefined;
}

/** Each side by itself: one frame may be wide and another one tall. */
function largest(areas: Iterable<Area>): Area {
  let [width, height] = [0, 0];
  for (const area of areas) {
    width = Math.max(width, area.width);
    height = Math.max(height, area.height);
  }
  return { width, height };
}

const IHDR = 0x49484452;
const FCTL = 0x6663544c;

/** The head, and every frame of a moving one. */
function* areasOfPng(view: DataView): Generator<Area> {
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = view.getUint32(at + 4);
    if ((kind === IHDR) !== (at === 8)) throw new RangeError("Its head is not at its start");
    if (kind === IHDR) yield { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (kind === FCTL)
      yield {
        width: view.getUint32(at + 12) + view.getUint32(at + 20),
        height: view.getUint32(at + 16) + view.getUint32(at + 24),
      };
  }
}

/** The screen, and how far every frame reaches: browsers widen the screen for those. */
function* areasOfGif(view: DataView): Generator<Area> {
  const short = (at: number): number => view.getUint16(at, true);
  yield { width: short(6), height: short(8) };
  let at = 13 + colorsOf(view.getUint8(10));
  while (at < view.byteLength) {
    const kind = view.getUint8(at);
    if (kind === 0x3b) return;
    if (kind === 0x2c) {
      yield { width: short(at + 1) + short(at + 5), height: short(at + 3) + short(at + 7) };
      at += 11 + colorsOf(view.getUint8(at + 9));
    } else if (kind === 0x21) at += 2;
    else throw new RangeError("Something unknown stands between its blocks");
    while (at < view.byteLength && view.getUint8(at) > 0) at += 1 + view.getUint8(at);
    at += 1;
  }
}

/** Bytes of the table of colours that these flags announce. */
function colorsOf(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

const SCAN = 0xda;
const END = 0xd9;

/** Every frame's head, those behind the first scan, too. */
function* areasOfJpeg(view: DataView): Generator<Area> {
  const frame = (at: number): Area => ({
    height: view.getUint16(at + 4),
    width: view.getUint16(at + 6),
  });
  let at = 2;
  for (let marker = 0; marker !== SCAN;) {
    if (view.getUint8(at) !== 0xff) throw new RangeError("Something stands between its segments");
    // Any number of these may come before a marker.
    while (view.getUint8(at) === 0xff) at += 1;
    marker = view.getUint8(at);
    if (hasNoLength(marker)) throw new RangeError("A marker stands where none may");
    if (beginsFrame(marker)) yield frame(at);
    const length = view.getUint16(at + 1);
    if (length < 2) throw new RangeError("A segment is shorter than its own length");
    at += 1 + length;
  }
  for (; at + 9 <= view.byteLength; at++) {
    if (view.getUint8(at) !== 0xff) continue;
    const marker = view.getUint8(at + 1);
    if (marker === END) return;
    if (beginsFrame(marker)) yield frame(at + 1);
  }
}

function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function hasNoLength(marker: number): boolean {
  return marker <= 1 || (marker >= 0xd0 && marker <= END);
}
