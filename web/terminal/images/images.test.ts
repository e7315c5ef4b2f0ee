import fc from "fast-check";
import { expect, test } from "vitest";
import { toBytes } from "../../../protocol/text.ts";
import { parseInlineFile, readPictureSize } from "./inline-file.ts";
import { MAX_PIXELS, MAX_IMAGE_ROWS, toCells, fitRequestedSize } from "./image-cells.ts";
import { decodeSixel } from "./sixel.ts";

/** Returns an image's rows as letters: the first of red, green and blue at full intensity. */
function drawn(data: string): string[] | undefined {
  const picture = decodeSixel(data);
  if (!picture) return undefined;
  const { width, height, pixels } = picture;
  const letter = (at: number): string => {
    if (pixels[at + 3] === 0) return ".";
    return "rgb"[pixels.subarray(at, at + 3).indexOf(255)] ?? "?";
  };
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, column) => letter((row * width + column) * 4)).join(""),
  );
}

const RED = "#1;2;100;0;0";
const GREEN = "#2;2;0;100;0";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Returns a PNG chunk with a wrong checksum. */
function chunk(name: string, ...longs: number[]): number[] {
  return [...long(longs.length * 4), ...toBytes(name), ...longs.flatMap(long), 0, 0, 0, 0];
}

function long(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** Returns only the header of a PNG of this size. */
function createPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...PNG, ...chunk("IHDR", width, height, 0)]);
}

const little = (value: number): number[] => [value & 255, value >>> 8];
const big = (value: number): number[] => [value >>> 8, value & 255];

/** Returns a GIF frame: position, size and two bytes of pixels. */
function gifFrame(...sides: [number, number, number, number]): number[] {
  return [0x2c, ...sides.flatMap(little), 0, 2, 2, 0x4c, 0x01, 0];
}

function createGif(width: number, height: number, ...blocks: number[][]): Uint8Array<ArrayBuffer> {
  const head = [...little(width), ...little(height), 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  return Uint8Array.from([...toBytes("GIF89a"), ...head, ...blocks.flat()]);
}

/** Returns a JPEG's frame header. */
function jpegFrame(width: number, height: number): number[] {
  return [0xff, 0xc0, 0, 11, 8, ...big(height), ...big(width), 1, 1, 0x11, 0];
}

const SCAN = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 0xff, 0, 3];

function createJpeg(...parts: number[][]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([0xff, 0xd8].concat(...parts));
}

test("WT20 sixels are read: dots, repetitions, colours by both systems, bands", () => {
  expect(drawn(`${RED}!3@$${GREEN}?A`)).toEqual(["rrr", ".g."]);
  expect(drawn(`"1;1;9;9${RED}~-@`)).toEqual(Array(7).fill("r"));
  // In sixel's HLS, hue 120 is red.
  expect(drawn("#7;1;120;50;100@")).toEqual(["r"]);
  expect(drawn("#7;1;0;50;100@")).toEqual(["b"]);
  expect(drawn("#1;2;100;0;0#2;2;0;100;0#1@#2@")).toEqual(["rg"]);
});

test("WT72 a picture that is none, or too large in pixels or in work, is not read", () => {
  for (const data of ["", "hello".slice(0, 0), "-$-", "????", "#1;2;3", "!99999999999"])
    expect(decodeSixel(data)).toBeUndefined();
  expect(decodeSixel(`!99999999~${"-".repeat(600)}~`)).toBeUndefined();
  expect(decodeSixel("!8000~$".repeat(20_000))).toBeUndefined();
  const letters = fc.constantFrom(...'~@?#$-!"0123456789;x'.split(""));
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 200 }), (some) => {
      const picture = decodeSixel(some.join(""));
      if (!picture) return;
      expect(picture.width * picture.height).toBeLessThanOrEqual(MAX_PIXELS);
      expect(picture.pixels.length).toBe(picture.width * picture.height * 4);
    }),
  );
});

test("WT73 a file's size is known by its head, before it is unpacked", () => {
  expect(readPictureSize(createPng(70_000, 80_000))).toEqual({
    type: "image/png",
    width: 70_000,
    height: 80_000,
  });
  const file = btoa(String.fromCharCode(...createPng(3, 4)));
  const read = parseInlineFile(`File=inline=1;width=50%;preserveAspectRatio=0:${file}`);
  expect(read).toMatchObject({
    width: 3,
    requested: { width: "50%", height: "auto", keepsAspectRatio: false },
  });
  expect(parseInlineFile(`File=name=x:${file}`)).toBeUndefined();
  expect(parseInlineFile("File=inline=1:not base64!")).toBeUndefined();
  expect(parseInlineFile(`File=inline=1:${btoa("a text, and no picture at all")}`)).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      for (const start of [[0xff, 0xd8, 0xff], [...createGif(1, 1)], [...createPng(1, 1)]])
        readPictureSize(Uint8Array.from([...start, ...bytes]));
      readPictureSize(Uint8Array.from(bytes));
    }),
  );
});

test("WT73 of all sizes in a file the largest counts, whichever a browser follows", () => {
  const sides = (bytes: Uint8Array<ArrayBuffer>) => {
    const size = readPictureSize(bytes);
    return size && [size.width, size.height];
  };
  const comment = [0x21, 0xfe, 3, 0x2c, 0x2c, 0x3b, 0];
  const end = [0x3b];
  expect(sides(createGif(9, 8, comment, gifFrame(0, 0, 9, 8), end))).toEqual([9, 8]);
  expect(sides(createGif(1, 1, gifFrame(0, 0, 20_000, 20_000), end))).toEqual([20_000, 20_000]);
  expect(sides(createGif(1, 1, comment, gifFrame(60_000, 0, 60_000, 1), end))).toEqual([
    120_000, 1,
  ]);
  expect(sides(createGif(5, 5, gifFrame(0, 0, 5, 5), gifFrame(0, 0, 5, 9_000)))).toEqual([
    5, 9_000,
  ]);
  expect(sides(createGif(5, 5, [0x00], gifFrame(0, 0, 9_000, 9_000), end))).toBeUndefined();
  const screen = [...createPng(6, 7)];
  const frame = chunk("fcTL", 0, 30_000, 20_000, 1, 2);
  expect(sides(Uint8Array.from([...screen, ...frame]))).toEqual([30_001, 20_002]);
  expect(sides(Uint8Array.from([...screen, ...chunk("IHDR", 9_000, 9_000)]))).toBeUndefined();
  expect(
    sides(Uint8Array.from([...PNG, ...chunk("tEXt", 6, 7), ...screen.slice(8)])),
  ).toBeUndefined();
  const plain = [0xff, 0xe0, 0, 4, 0xff, 0xc0];
  expect(sides(createJpeg(plain, jpegFrame(6, 7), SCAN))).toEqual([6, 7]);
  const filled = [0xff, 0xff, 0xff, ...jpegFrame(9_000, 9_000)];
  expect(sides(createJpeg(plain, filled, jpegFrame(1, 1), SCAN))).toEqual([9_000, 9_000]);
  expect(sides(createJpeg(jpegFrame(1, 1), jpegFrame(8_000, 2), SCAN))).toEqual([8_000, 2]);
  expect(sides(createJpeg(jpegFrame(1, 1), SCAN, jpegFrame(8_000, 9), SCAN))).toEqual([8_000, 9]);
  expect(sides(createJpeg(plain, [0, 1], jpegFrame(1, 1), SCAN))).toBeUndefined();
  expect(sides(createJpeg([0xff, 0xd0], plain, jpegFrame(1, 1), SCAN))).toBeUndefined();
  expect(sides(Uint8Array.from(toBytes("RIFF....WEBPVP8X............")))).toBeUndefined();
});

test("WT20 a picture gets the cells that it needs, and no more than there are", () => {
  const room = { cell: { width: 10, height: 20 }, columns: 8, rows: 5 };
  expect(toCells({ width: 31, height: 40 }, room)).toEqual({ columns: 4, rows: 2 });
  expect(toCells({ width: 900, height: 90_000 }, room)).toEqual({
    columns: 8,
    rows: MAX_IMAGE_ROWS,
  });
  const natural = { width: 40, height: 20 };
  const request = { width: "auto", height: "auto", keepsAspectRatio: true };
  expect(fitRequestedSize(request, natural, room)).toEqual(natural);
  expect(fitRequestedSize({ ...request, width: "8" }, natural, room)).toEqual({
    width: 80,
    height: 40,
  });
  expect(fitRequestedSize({ ...request, height: "10px" }, natural, room)).toEqual({
    width: 20,
    height: 10,
  });
  expect(fitRequestedSize({ ...request, width: "500%" }, natural, room)).toEqual({
    width: 80,
    height: 40,
  });
  const both = { width: "1", height: "5", keepsAspectRatio: false };
  expect(fitRequestedSize(both, natural, room)).toEqual({ width: 10, height: 100 });
});
