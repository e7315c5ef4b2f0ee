// Owns the binary payloads of the data path: output, chunk and bare offsets. An offset is a byte's
// absolute position in its terminal's stream; numbers are exact up to 2^53. Also owns the binary
// messages of the raw rendition (RAW_SUBPROTOCOL).

import { FrameType } from "./frame-types.ts";
import { FRAME_HEADER_BYTES, readU32, writeFrameHeader, writeU32, encodeFrame } from "./frame.ts";
import { MAX_ATTACHED } from "./limits.ts";

export const OUTPUT_HEADER_BYTES = 12;
export const CHUNK_HEADER_BYTES = 12;
export const OFFSET_BYTES = 8;

/** Flag of a `chunk` frame: the last one of its request. */
export const CHUNK_LAST = 1;

/** Flag of an `output` frame: its sender requests a receipt, for its window. */
export const ACK_REQUESTED = 1;

/**
 * `span` raw bytes from `offset` on. In the raw rendition the body is those bytes; in the JSON
 * rendition it is a message with their text; a span of 0 is an event at this point of the stream.
 */
export interface Output {
  readonly offset: number;
  readonly span: number;
  readonly body: Uint8Array;
  /** The whole frame that contained it, if that frame may be reused. */
  readonly frame?: Uint8Array;
  /** Lease of body and frame; without one, their memory is not reused. */
  readonly lease?: Lease;
}

/**
 * Memory that is reused once it is released. A receiver that needs it after the call returns must
 * call `keep`, and `release` once. Not releasing is safe: the memory is then not reused.
 */
export interface Lease {
  keep(): void;
  /** Releases the memory; needs no `this`. */
  readonly release: () => void;
}

/** Rewrites stream and flags of an output frame in place. The caller must be its only sender. */
export function rewriteOutputHeader(frame: Uint8Array, stream: number, flags: number): void {
  const length = frame.length - FRAME_HEADER_BYTES;
  writeFrameHeader(frame, 0, FrameType.output, flags, stream, length);
}

export interface Chunk {
  readonly request: number;
  readonly offset: number;
  readonly body: Uint8Array;
}

/** Returns a whole `output` frame in one allocation: every byte of output takes this path. */
export function encodeOutputFrame(
  stream: number,
  offset: number,
  span: number,
  body: Uint8Array,
  flags = 0,
): Uint8Array<ArrayBuffer> {
  const length = OUTPUT_HEADER_BYTES + body.length;
  const frame = new Uint8Array(FRAME_HEADER_BYTES + length);
  writeFrameHeader(frame, 0, FrameType.output, flags, stream, length);
  writeOutputHeader(frame, FRAME_HEADER_BYTES, offset, span);
  frame.set(body, FRAME_HEADER_BYTES + OUTPUT_HEADER_BYTES);
  return frame;
}

export function writeOutputHeader(
  target: Uint8Array,
  at: number,
  offset: number,
  span: number,
): void {
  writeOffset(target, at, offset);
  writeU32(target, at + OFFSET_BYTES, span);
}

export function decodeOutput(payload: Uint8Array): Output | undefined {
  if (payload.length < OUTPUT_HEADER_BYTES) return undefined;
  const offset = readOffset(payload, 0);
  if (offset === undefined) return undefined;
  const span = readU32(payload, OFFSET_BYTES);
  return { offset, span, body: payload.subarray(OUTPUT_HEADER_BYTES) };
}

export function encodeChunk(request: number, offset: number, body: Uint8Array): Uint8Array {
  const payload = new Uint8Array(CHUNK_HEADER_BYTES + body.length);
  writeChunkHeader(payload, 0, request, offset);
  payload.set(body, CHUNK_HEADER_BYTES);
  return payload;
}

export function writeChunkHeader(
  target: Uint8Array,
  at: number,
  request: number,
  offset: number,
): void {
  writeU32(target, at, request);
  writeOffset(target, at + 4, offset);
}

export function decodeChunk(payload: Uint8Array): Chunk | undefined {
  if (payload.length < CHUNK_HEADER_BYTES) return undefined;
  const offset = readOffset(payload, 4);
  if (offset === undefined) return undefined;
  return { request: readU32(payload, 0), offset, body: payload.subarray(CHUNK_HEADER_BYTES) };
}

export function encodeOffset(offset: number): Uint8Array {
  const payload = new Uint8Array(OFFSET_BYTES);
  writeOffset(payload, 0, offset);
  return payload;
}

export function decodeOffset(payload: Uint8Array): number | undefined {
  return payload.length === OFFSET_BYTES ? readOffset(payload, 0) : undefined;
}

function writeOffset(target: Uint8Array, at: number, offset: number): void {
  writeU32(target, at, Math.floor(offset / 0x1_0000_0000));
  writeU32(target, at + 4, offset % 0x1_0000_0000);
}

function readOffset(bytes: Uint8Array, at: number): number | undefined {
  const value = readU32(bytes, at) * 0x1_0000_0000 + readU32(bytes, at + 4);
  return Number.isSafeInteger(value) ? value : undefined;
}

// A binary message to a viewer is one `output` frame, exactly as it came over the link (its stream
// is the channel of `pty:attached`; with a span of 0 its body is JSON text), or a `proof` frame of
// the room. From a viewer it is one `acks` frame. Everything else is JSON text, as in the plain
// rendition.

/** The viewer has rendered everything before `offset` of this channel. */
export interface ChannelAck {
  readonly channel: number;
  readonly offset: number;
}

/** Not used by channels: its ack is the answer to a `proof`. */
export const PROOF_CHANNEL = 0;

const ACK_ENTRY_BYTES = 4 + OFFSET_BYTES;
const MAX_ENTRIES = MAX_ATTACHED + 1;

/** Returns a whole `acks` frame; `peer` is 0 from a viewer. */
export function encodeAcks(peer: number, acks: readonly ChannelAck[]): Uint8Array<ArrayBuffer> {
  return encodeFrame(FrameType.acks, peer, encodeAckList(acks));
}

/** Returns the payload of an `acks` frame. */
export function encodeAckList(acks: readonly ChannelAck[]): Uint8Array {
  const payload = new Uint8Array(acks.length * ACK_ENTRY_BYTES);
  for (const [index, { channel, offset }] of acks.entries()) {
    writeU32(payload, index * ACK_ENTRY_BYTES, channel);
    payload.set(encodeOffset(offset), index * ACK_ENTRY_BYTES + 4);
  }
  return payload;
}

/** Undefined if the payload is not a list of acks, or a longer one than the protocol needs. */
export function decodeAcks(payload: Uint8Array): ChannelAck[] | undefined {
  const count = payload.length / ACK_ENTRY_BYTES;
  if (!Number.isInteger(count) || count > MAX_ENTRIES) return undefined;
  const acks: ChannelAck[] = [];
  for (let at = 0; at < payload.length; at += ACK_ENTRY_BYTES) {
    const offset = decodeOffset(payload.subarray(at + 4, at + ACK_ENTRY_BYTES));
    if (offset === undefined) return undefined;
    acks.push({ channel: readU32(payload, at), offset });
  }
  return acks;
}

/** Returns the payload of a `groupSend`: the number of peers, their numbers, the message. */
export function encodeGroup(peers: readonly number[], body: Uint8Array): Uint8Array {
  const head = 4 + 4 * peers.length;
  const payload = new Uint8Array(head + body.length);
  writeU32(payload, 0, peers.length);
  for (const [index, peer] of peers.entries()) writeU32(payload, 4 + 4 * index, peer);
  payload.set(body, head);
  return payload;
}

export function decodeGroup(
  payload: Uint8Array,
): { readonly peers: number[]; readonly body: Uint8Array } | undefined {
  if (payload.length < 4) return undefined;
  const count = readU32(payload, 0);
  const head = 4 + 4 * count;
  if (head > payload.length) return undefined;
  const peers = Array.from({ length: count }, (_, index) => readU32(payload, 4 + 4 * index));
  return { peers, body: payload.subarray(head) };
}
