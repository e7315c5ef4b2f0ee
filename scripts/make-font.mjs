// Makes bridge/pictures/unifont.br of GNU Unifont's own file: node scripts/make-font.mjs unifont.hex
// (in Debian the package `unifont` has it). The result is in the repository; this says where it is from.
//
// The form, brotli around it: how many ranges, as a Uint32; then for each range its first code point,
// how many follow each other, and their width in bytes, as Uint32s; then 16 rows of each glyph in order.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error("usage: node scripts/make-font.mjs unifont.hex");
  process.exit(2);
}

const ranges = [];
const glyphs = [];
for (const line of readFileSync(source, "utf8").split("\n")) {
  const [code, rows] = line.split(":");
  if (rows === undefined) continue;
  const point = Number.parseInt(code, 16);
  if (!isDrawn(point)) continue;
  const bytes = Buffer.from(rows, "hex");
  const width = bytes.length / 16;
  const last = ranges.at(-1);
  if (last !== undefined && last.first + last.count === point && last.width === width) {
    last.count += 1;
  } else {
    ranges.push({ first: point, count: 1, width });
  }
  glyphs.push(bytes);
}
const head = Uint32Array.from([
  ranges.length,
  ...ranges.flatMap(({ first, count, width }) => [first, count, width]),
]);
const whole = Buffer.concat([Buffer.from(head.buffer), ...glyphs]);
const packed = brotliCompressSync(whole, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: whole.length },
});
const target = join(import.meta.dirname, "..", "bridge", "pictures", "unifont.br");
writeFileSync(target, packed);
console.log(`${glyphs.length} glyphs, ${whole.length} bytes, ${packed.length} packed`);

/** Controls, surrogates and private use have boxes with their numbers in them there. */
function isDrawn(point) {
  return point >= 0x20 && !(point >= 0x7f && point < 0xa0) && !(point >= 0xd800 && point < 0xf900);
}
