// Owns what strangers say: messages of every kind that a door must bear, made from a number that
// gives the same again. Pure.

import { deflateRawSync } from "node:zlib";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { wireFrame } from "./stranger.ts";

const OPCODES = { continuation: 0x0, text: 0x1, binary: 0x2, ping: 0x9, unknown: 0xb } as const;

/** What 1 MiB of zeros comes to: the fuzz has to make it once. */
const BOMB = deflateRawSync(Buffer.alloc(1 << 20));

/** A number below `below`. */
export type Random = (below: number) => number;

/** Mulberry32: small, and the same for everybody. */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** One message as it goes over the wire. */
export function strangeMessage(random: Random): Buffer {
  switch (random(8)) {
    case 0:
      return wireFrame(noise(random, random(300)));
    case 1:
      return wireFrame(Buffer.from("{}".repeat(random(200))), { opcode: OPCODES.text });
    case 2:
      return wireFrame(encodeFrame(random(64), random(9), noise(random, random(200))));
    case 3:
      return wireFrame(encodeFrame(FrameType.hello, 0, Buffer.from('{"version":1}')));
    case 4:
      // Compressed, though nobody agreed to that.
      return wireFrame(BOMB, { compressed: true });
    case 5:
      return wireFrame(new Uint8Array(random(20_000)));
    case 6:
      return wireFrame(noise(random, random(100)), { opcode: OPCODES.ping });
    default:
      return wireFrame(noise(random, random(100)), {
        opcode: random(2) === 0 ? OPCODES.continuation : OPCODES.unknown,
      });
  }
}

/** Zeros: as frames they would be millions. */
export function giantMessage(bytes: number): Buffer {
  return wireFrame(new Uint8Array(bytes));
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)));
}
