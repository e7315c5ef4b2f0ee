// Makes the icons of the installed page, web/public/icon-*.png, from two strokes: run it again when
// they change. Uses Node alone.

import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const GROUND = [0x1d, 0x23, 0x2c];
/** As in web/icon.svg, in its 32 units: the corners of each stroke, and its colour. */
const STROKES = [
  {
    points: [
      [7, 10],
      [13, 16],
      [7, 22],
    ],
    color: [0x8f, 0xd3, 0xb6],
  },
  {
    points: [
      [25, 10],
      [19, 16],
      [25, 22],
    ],
    color: [0x8a, 0xb4, 0xf8],
  },
];
const WIDTH = 3;
const CORNER = 8;

/** `scale` below 1 leaves room around: a mask may cut off a fifth on each side. */
function draw(size, { isRound, scale }) {
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const at = [((x + 0.5) * 32) / size, ((y + 0.5) * 32) / size];
      const unit = 32 / size;
      const cover = (distance) => Math.min(1, Math.max(0, 0.5 - distance / unit));
      let color = GROUND;
      const inner = at.map((v) => 16 + (v - 16) / scale);
      for (const { points, color: paint } of STROKES) {
        const away = Math.min(
          toSegment(inner, points[0], points[1]),
          toSegment(inner, points[1], points[2]),
        );
        const share = cover((away - WIDTH / 2) * scale);
        color = color.map((v, i) => v + (paint[i] - v) * share);
      }
      const alpha = isRound ? cover(toRoundedSquare(at)) : 1;
      const start = y * (1 + size * 4) + 1 + x * 4;
      rows.set([...color.map(Math.round), Math.round(alpha * 255)], start);
    }
  }
  return rows;
}

function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

function toRoundedSquare([x, y]) {
  const [dx, dy] = [x, y].map((v) => Math.abs(v - 16) - (16 - CORNER));
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - CORNER;
}

function png(size, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const ICONS = [
  { name: "icon-192", size: 192, isRound: true, scale: 1 },
  { name: "icon-512", size: 512, isRound: true, scale: 1 },
  { name: "icon-maskable", size: 512, isRound: false, scale: 0.72 },
  { name: "icon-apple", size: 180, isRound: false, scale: 0.85 },
];
for (const { name, size, ...look } of ICONS) {
  writeFileSync(new URL(`../web/public/${name}.png`, import.meta.url), png(size, draw(size, look)));
}
