// Owns the binary payloads about screens between bridge and pty host: checkpoints and answers.

import { OFFSET_BYTES, decodeOffset, encodeOffset } from "./output.ts";
import { readU32, writeU32 } from "./frame.ts";

const CHECKPOINT_HEADER = OFFSET_BYTES + 4;

export interface Checkpoint {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly data: Uint8Array;
}

export function encodeCheckpoint({ offset, cols, rows, data }: Checkpoint): Uint8Array {
  const payload = new Uint8Array(CHECKPOINT_HEADER + data.length);
  payload.set(encodeOffset(offset));
  writeU32(payload, OFFSET_BYTES, cols * 0x1_0000 + rows);
  payload.set(data, CHECKPOINT_HEADER);
  return payload;
}

export function decodeCheckpoint(payload: Uint8Array): Checkpoint | undefined {
  if (payload.length < CHECKPOINT_HEADER) return undefined;
  const offset = decodeOffset(payload.subarray(0, OFFSET_BYTES));
  const size = readU32(payload, OFFSET_BYTES);
  const [cols, rows] = [size >>> 16, size & 0xffff];
  if (offset === undefined || cols === 0 || rows === 0) return undefined;
  return { offset, cols, rows, data: payload.subarray(CHECKPOINT_HEADER) };
}

export interface Answer {
  /** Answers every query that ends at or before this offset. */
  readonly upTo: number;
  readonly bytes: Uint8Array;
}

export function encodeAnswer({ upTo, bytes }: Answer): Uint8Array {
  const payload = new Uint8Array(OFFSET_BYTES + bytes.length);
  payload.set(encodeOffset(upTo));
  payload.set(bytes, OFFSET_BYTES);
  return payload;
}

export function decodeAnswer(payload: Uint8Array): Answer | undefined {
  if (payload.length < OFFSET_BYTES) return undefined;
  const upTo = decodeOffset(payload.subarray(0, OFFSET_BYTES));
  return upTo === undefined ? undefined : { upTo, bytes: payload.subarray(OFFSET_BYTES) };
}
