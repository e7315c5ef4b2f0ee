// Owns the body of a sealed output frame. Offset, span and channel stay in the clear, since the room
// paces by them; the tag vouches for them. Pure; performs no crypto.
//
//   0                  4               12
//   | key number (u32) | counter (u64) | ciphertext of: events (u32), body | tag (16)
//
// The nonce is never made of the offset: events share an offset, and after a cut the same bytes are
// sent again in other pieces.

import { FRAME_HEADER_BYTES, readU32, writeFrameHeader, writeU32 } from "../frame.ts";
import { FrameType } from "../frame-types.ts";
import { OUTPUT_HEADER_BYTES, writeOutputHeader } from "../output.ts";
import type { Bytes } from "./bytes.ts";
import { NONCE_BYTES, parseNonce, TAG_BYTES } from "./record.ts";

/** Flag of an `output` frame: its body is sealed. Beside `ACK_REQUESTED`, which the room changes. */
export const SEALED_OUTPUT = 2;

const EVENTS_BYTES = 4;
const CHANNEL_BYTES = 4;

/** Bytes that sealing adds to an output frame. */
export const SEALED_OUTPUT_OVERHEAD = NONCE_BYTES + EVENTS_BYTES + TAG_BYTES;

/** Where a frame belongs. A frame moved to another place does not open. */
export interface OutputPlace {
  readonly channel: number;
  readonly offset: number;
  /** Bytes of the terminal that the frame covers; 0 for an event. */
  readonly span: number;
}

export function formatOutputAad({ channel, offset, span }: OutputPlace): Bytes {
  const aad = new Uint8Array(CHANNEL_BYTES + OUTPUT_HEADER_BYTES);
  writeU32(aad, 0, channel);
  writeOutputHeader(aad, CHANNEL_BYTES, offset, span);
  return aad;
}

/**
 * Returns what is sealed in front of the body: the number of the channel's events up to this frame,
 * including it. An event takes no offset, so nothing else shows that one is missing.
 */
export function encodeEvents(events: number): Bytes {
  const bytes = new Uint8Array(EVENTS_BYTES);
  writeU32(bytes, 0, events);
  return bytes;
}

export function decodeOutputText(
  text: Bytes,
): { readonly events: number; readonly body: Bytes } | undefined {
  if (text.length < EVENTS_BYTES) return undefined;
  return { events: readU32(text, 0), body: text.subarray(EVENTS_BYTES) };
}

/** Returns the next count, which wraps: the wire has a u32. */
export function addEvent(events: number): number {
  return (events + 1) >>> 0;
}

/** Returns a whole output frame with room for the sealed text, which begins at `at`. */
export function createSealedFrame(
  { channel, offset, span }: OutputPlace,
  nonce: Bytes,
  bodyLength: number,
  flags: number,
): { readonly frame: Bytes; readonly at: number } {
  const length = OUTPUT_HEADER_BYTES + SEALED_OUTPUT_OVERHEAD + bodyLength;
  const frame = new Uint8Array(FRAME_HEADER_BYTES + length);
  writeFrameHeader(frame, 0, FrameType.output, flags | SEALED_OUTPUT, channel, length);
  writeOutputHeader(frame, FRAME_HEADER_BYTES, offset, span);
  const at = FRAME_HEADER_BYTES + OUTPUT_HEADER_BYTES;
  frame.set(nonce, at);
  return { frame, at: at + NONCE_BYTES };
}

export interface SealedOutput {
  readonly keyNumber: number;
  readonly counter: number;
  readonly nonce: Bytes;
  readonly sealed: Bytes;
}

/** Undefined if the body is too short or its counter is not exact. */
export function decodeSealedOutput(body: Bytes): SealedOutput | undefined {
  if (body.length < SEALED_OUTPUT_OVERHEAD) return undefined;
  const parsed = parseNonce(body);
  if (parsed === undefined) return undefined;
  return {
    keyNumber: parsed.prefix,
    counter: parsed.counter,
    nonce: body.subarray(0, NONCE_BYTES),
    sealed: body.subarray(NONCE_BYTES),
  };
}
