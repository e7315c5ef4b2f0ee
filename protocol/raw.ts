// Owns the binary messages of the raw rendition (RAW_SUBPROTOCOL). A binary message to a viewer is
// one `output` frame, exactly as it came over the link (its stream is the channel of
// `pty:attached`; with a span of 0 its body is JSON text), or a `proof` frame of the room. From a
// viewer it is one `acks` frame. Everything else is JSON text, as in the plain rendition.

import { encodeFrame, readU32, writeU32 } from "./frame.ts";
import { FrameType } from "./frame-types.ts";
import { MAX_ATTACHED } from "./limits.ts";
import { decodeOffset, encodeOffset, OFFSET_BYTES } from "./output.ts";

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
