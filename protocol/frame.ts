// Owns the frame: a 12-byte header and a payload, the one unit on the link and on the host's socket.
// Does not interpret types. Does not throw on bad bytes: decoders return a fault.
//
//   0       1       2               4                               8                               12
//   | type  | flags | zero          | stream (u32, big-endian)      | payload length (u32)          |

import { MAX_FRAME_PAYLOAD } from "./limits.ts";

export const FRAME_HEADER_BYTES = 12;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** The peer, channel, stream or terminal; 0 if the type has none. */
  readonly stream: number;
  readonly payload: Uint8Array;
}

export type FrameFault =
  /** The header announces more than a frame may carry. */
  | { readonly fault: "too_long"; readonly length: number }
  /** The two reserved bytes are not zero: this is not our protocol. */
  | { readonly fault: "not_a_frame" }
  /** The message ends inside a frame. */
  | { readonly fault: "cut_short"; readonly missing: number };

export type DecodeResult =
  | { readonly ok: true; readonly frames: Frame[] }
  | { readonly ok: false; readonly frames: Frame[]; readonly error: FrameFault };

const NO_BYTES = new Uint8Array(0);

/** Writes a header into `target` at `at`; the payload follows it. */
export function writeFrameHeader(
  target: Uint8Array,
  at: number,
  type: number,
  flags: number,
  stream: number,
  length: number,
): void {
  target[at] = type;
  target[at + 1] = flags;
  target[at + 2] = 0;
  target[at + 3] = 0;
  writeU32(target, at + 4, stream);
  writeU32(target, at + 8, length);
}

export function encodeFrame(
  type: number,
  stream: number,
  payload: Uint8Array = NO_BYTES,
  flags = 0,
): Uint8Array<ArrayBuffer> {
  if (payload.length > MAX_FRAME_PAYLOAD) {
    throw new RangeError(`frame payload of ${payload.length} bytes is over ${MAX_FRAME_PAYLOAD}`);
  }
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, 0, type, flags, stream, payload.length);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

/** Returns a decoded frame with its header, without a copy: the header lies in front of it. */
export function toFrameBytes({ payload }: Pick<Frame, "payload">): Uint8Array {
  const start = payload.byteOffset - FRAME_HEADER_BYTES;
  return new Uint8Array(payload.buffer, start, FRAME_HEADER_BYTES + payload.length);
}

/** Decodes one message that must hold whole frames. Payloads are views into `message`. */
export function decodeFrames(message: Uint8Array): DecodeResult {
  const frames: Frame[] = [];
  const rest = takeFrames(message, frames);
  if (typeof rest !== "number") return { ok: false, frames, error: rest };
  if (rest === message.length) return { ok: true, frames };
  const missing = countMissingBytes(message, rest);
  return { ok: false, frames, error: { fault: "cut_short", missing } };
}

/** Decodes a message that is exactly one frame; undefined for any other. Checks only the header. */
export function decodeFrame(message: Uint8Array): Frame | undefined {
  const isOne = findHeaderFault(message, 0) === undefined && countMissingBytes(message, 0) === 0;
  return isOne && message.length >= FRAME_HEADER_BYTES
    ? frameAt(message, 0, message.length)
    : undefined;
}

/**
 * Decodes a byte stream that may split frames anywhere. After a fault it returns that fault for
 * every call: the frame boundaries are lost.
 */
export class FrameDecoder {
  #held: Uint8Array = NO_BYTES;
  #heldLength = 0;
  #fault: FrameFault | undefined;

  /** Decodes a chunk. Payloads are views into `chunk` or a buffer that is not written again. */
  push(chunk: Uint8Array): DecodeResult {
    const frames: Frame[] = [];
    if (this.#fault !== undefined) return { ok: false, frames, error: this.#fault };
    const at = this.#completeHeld(chunk, frames);
    if (this.#fault !== undefined) return { ok: false, frames, error: this.#fault };
    if (at < 0) return { ok: true, frames };
    const rest = at === 0 ? chunk : chunk.subarray(at);
    const taken = takeFrames(rest, frames);
    if (typeof taken !== "number") {
      this.#fault = taken;
      return { ok: false, frames, error: taken };
    }
    this.#hold(rest, taken);
    return { ok: true, frames };
  }

  /** Returns how many bytes of an incomplete frame are held. */
  get pending(): number {
    return this.#heldLength;
  }

  /** Completes the held frame from `chunk`; returns how many bytes it used, or -1 if all. */
  #completeHeld(chunk: Uint8Array, frames: Frame[]): number {
    if (this.#heldLength === 0) return 0;
    let at = 0;
    while (true) {
      const missing = countMissingBytes(this.#held.subarray(0, this.#heldLength), 0);
      if (missing === 0) break;
      const take = Math.min(missing, chunk.length - at);
      if (take === 0) return -1;
      this.#reserve(this.#heldLength + take);
      this.#held.set(chunk.subarray(at, at + take), this.#heldLength);
      this.#heldLength += take;
      at += take;
      const fault = findHeaderFault(this.#held.subarray(0, this.#heldLength), 0);
      if (fault !== undefined) {
        this.#fault = fault;
        return -1;
      }
    }
    takeFrames(this.#held.subarray(0, this.#heldLength), frames);
    this.#held = NO_BYTES;
    this.#heldLength = 0;
    return at;
  }

  #hold(bytes: Uint8Array, from: number): void {
    if (from === bytes.length) return;
    // With a complete header, reserves the whole frame: no second copy when the rest arrives.
    const length = bytes.length - from;
    const hasHeader = length >= FRAME_HEADER_BYTES;
    this.#reserve(hasHeader ? FRAME_HEADER_BYTES + readU32(bytes, from + 8) : length);
    this.#held.set(bytes.subarray(from), 0);
    this.#heldLength = length;
  }

  #reserve(length: number): void {
    if (length <= this.#held.length) return;
    // The header has the whole length, so the buffer is allocated once per split frame.
    const announced =
      this.#heldLength >= FRAME_HEADER_BYTES ? FRAME_HEADER_BYTES + readU32(this.#held, 8) : 0;
    const grown = new Uint8Array(Math.max(length, announced));
    grown.set(this.#held.subarray(0, this.#heldLength));
    this.#held = grown;
  }
}

export function readU32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) * 0x1000000 +
      (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))) >>>
    0
  );
}

export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = (value >>> 24) & 0xff;
  bytes[at + 1] = (value >>> 16) & 0xff;
  bytes[at + 2] = (value >>> 8) & 0xff;
  bytes[at + 3] = value & 0xff;
}

/** Removes whole frames from the front; returns where the first incomplete one starts. */
export function takeFrames(bytes: Uint8Array, into: Frame[]): number | FrameFault {
  let at = 0;
  while (bytes.length - at >= FRAME_HEADER_BYTES) {
    const fault = findHeaderFault(bytes, at);
    if (fault !== undefined) return fault;
    const end = at + FRAME_HEADER_BYTES + readU32(bytes, at + 8);
    if (end > bytes.length) return at;
    into.push(frameAt(bytes, at, end));
    at = end;
  }
  return at;
}

function frameAt(bytes: Uint8Array, at: number, end: number): Frame {
  return {
    type: bytes[at] ?? 0,
    flags: bytes[at + 1] ?? 0,
    stream: readU32(bytes, at + 4),
    payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
  };
}

function findHeaderFault(bytes: Uint8Array, at: number): FrameFault | undefined {
  if (bytes.length - at < FRAME_HEADER_BYTES) return undefined;
  if (bytes[at + 2] !== 0 || bytes[at + 3] !== 0) return { fault: "not_a_frame" };
  const length = readU32(bytes, at + 8);
  return length > MAX_FRAME_PAYLOAD ? { fault: "too_long", length } : undefined;
}

function countMissingBytes(bytes: Uint8Array, at: number): number {
  const have = bytes.length - at;
  if (have < FRAME_HEADER_BYTES) return FRAME_HEADER_BYTES - have;
  return FRAME_HEADER_BYTES + readU32(bytes, at + 8) - have;
}
