// Owns the room's timestamp in front of a peer's message on the link: eight bytes of Unix ms, then
// the message. The bridge uses it to measure how long a message waited in a socket. Pure.

import { decodeOffset, encodeOffset } from "./output.ts";

export const STAMP_BYTES = 8;

export interface StampedMessage {
  /** Unix ms by the room's clock. */
  readonly at: number;
  /** A view into the payload. */
  readonly body: Uint8Array;
}

export function encodeStamped(at: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES + body.length);
  bytes.set(encodeOffset(at));
  bytes.set(body, STAMP_BYTES);
  return bytes;
}

/** Undefined if the payload has no valid timestamp. */
export function decodeStamped(payload: Uint8Array): StampedMessage | undefined {
  const at = decodeOffset(payload.subarray(0, STAMP_BYTES));
  return at === undefined ? undefined : { at, body: payload.subarray(STAMP_BYTES) };
}
