// Owns parsing inline image files (iTerm's OSC 1337): the requested size, and the file's pixel size
// before it is decoded. Also owns reading the pixel size of an image file without decoding it.

export interface InlineFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly requested: RequestedSize;
}

export interface RequestedSize {
  /** As written by the program: cells, `px`, `%` or `auto`. */
  readonly width: string;
  readonly height: string;
  readonly keepsAspectRatio: boolean;
}

/** Parses an inline file; undefined if it is not an inline image of a supported format. */
export function parseInlineFile(data: string): InlineFile | undefined {
  const colon = data.indexOf(":");
  if (!data.startsWith("File=") || colon < 0) return undefined;
  const fields = new Map(
    data
      .slice("File=".length, colon)
      .split(";")
      .map((field) => {
        const at = field.indexOf("=");
        return [field.slice(0, at), field.slice(at + 1)];
      }),
  );
  if (fields.get("inline") !== "1") return undefined;
  const bytes = decodeBase64(data.slice(colon + 1));
  const size = bytes && readPictureSize(bytes);
  if (!bytes || !size) return undefined;
  const requested = {
    width: fields.get("width") ?? "auto",
    height: fields.get("height") ?? "auto",
    keepsAspectRatio: fields.get("preserveAspectRatio") !== "0",
  };
  return { bytes, ...size, requested };
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    // The text is not base64.
    return undefined;
  }
}

// A file may contain several sizes, of which browsers use different ones: the largest counts, and
// ambiguous files are rejected. Pure.

export interface PictureSize {
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

/** Returns format and size of a PNG, GIF or JPEG; undefined for other files and empty images. */
export function readPictureSize(bytes: Uint8Array<ArrayBuffer>): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const type = detectType(view);
  if (type === undefined) return undefined;
  try {
    const area = getMaxArea(READERS[type](view));
    return area.width > 0 && area.height > 0 ? { type, ...area } : undefined;
  } catch (error) {
    // Truncated or ambiguous.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const READERS = {
  "image/png": listPngAreas,
  "image/gif": listGifAreas,
  "image/jpeg": listJpegAreas,
};

function detectType(view: DataView): keyof typeof READERS | undefined {
  if (view.byteLength < 24) return undefined;
  const start = view.getUint32(0);
  if (start === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) return "image/png";
  if (start === 0x47494638) return "image/gif";
  return start >>> 8 === 0xffd8ff ? "image/jpeg" : undefined;
}

/** Returns the maximum of each side separately: one frame may be wide and another tall. */
function getMaxArea(areas: Iterable<Area>): Area {
  let [width, height] = [0, 0];
  for (const area of areas) {
    width = Math.max(width, area.width);
    height = Math.max(height, area.height);
  }
  return { width, height };
}

const IHDR = 0x49484452;
const FCTL = 0x6663544c;

/** Yields the header's size and that of every animation frame. */
function* listPngAreas(view: DataView): Generator<Area> {
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = view.getUint32(at + 4);
    if ((kind === IHDR) !== (at === 8)) throw new RangeError("PNG header is not the first chunk");
    if (kind === IHDR) yield { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (kind === FCTL)
      yield {
        width: view.getUint32(at + 12) + view.getUint32(at + 20),
        height: view.getUint32(at + 16) + view.getUint32(at + 24),
      };
  }
}

/** Yields the screen's size and the extent of every frame, for which browsers enlarge the screen. */
function* listGifAreas(view: DataView): Generator<Area> {
  const short = (at: number): number => view.getUint16(at, true);
  yield { width: short(6), height: short(8) };
  let at = 13 + getColorTableBytes(view.getUint8(10));
  while (at < view.byteLength) {
    const kind = view.getUint8(at);
    if (kind === 0x3b) return;
    if (kind === 0x2c) {
      yield { width: short(at + 1) + short(at + 5), height: short(at + 3) + short(at + 7) };
      at += 11 + getColorTableBytes(view.getUint8(at + 9));
    } else if (kind === 0x21) at += 2;
    else throw new RangeError("Unknown data between GIF blocks");
    while (at < view.byteLength && view.getUint8(at) > 0) at += 1 + view.getUint8(at);
    at += 1;
  }
}

/** Returns the bytes of the colour table that these flags announce. */
function getColorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

const SCAN = 0xda;
const END = 0xd9;

/** Yields the size of every frame header, also after the first scan. */
function* listJpegAreas(view: DataView): Generator<Area> {
  const frame = (at: number): Area => ({
    height: view.getUint16(at + 4),
    width: view.getUint16(at + 6),
  });
  let at = 2;
  for (let marker = 0; marker !== SCAN;) {
    if (view.getUint8(at) !== 0xff) throw new RangeError("Unknown data between JPEG segments");
    // A marker may be preceded by any number of fill bytes.
    while (view.getUint8(at) === 0xff) at += 1;
    marker = view.getUint8(at);
    if (hasNoLength(marker)) throw new RangeError("Unexpected JPEG marker");
    if (beginsFrame(marker)) yield frame(at);
    const length = view.getUint16(at + 1);
    if (length < 2) throw new RangeError("JPEG segment too short");
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
