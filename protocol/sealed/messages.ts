// Owns the messages around sealed records, and their form on the socket. A page sends text, since
// older rooms accept no other binary message than acks: `E` and base64 for the hello, `e` and base64
// for a record. A bridge sends frames.

import * as z from "zod/mini";
import { encodeFrame, FRAME_HEADER_BYTES } from "../frame.ts";
import { KiB, MAX_FRAME_PAYLOAD, MAX_PEER_MESSAGE } from "../limits.ts";
import type { Bytes } from "./bytes.ts";
import { concatBytes } from "./bytes.ts";
import { SealedFault } from "./faults.ts";
import type { RecordKind } from "./record.ts";
import { MAX_RECORDS, RECORD_OVERHEAD } from "./record.ts";

/** First byte of hello and ready. Another version is refused before any crypto. */
export const HANDSHAKE_VERSION = 1;

/** First character of the text messages of a page. Neither can begin JSON. */
export const HELLO_MARK = "E";
export const RECORD_MARK = "e";

/** Longest text of a hello: its payload has at most 1 KiB. */
export const MAX_HELLO_TEXT = 2 * KiB;

/** Largest plaintext of a page's record: base64 makes 4 characters of 3 bytes. */
export const MAX_RECORD_TEXT =
  Math.floor((MAX_PEER_MESSAGE - RECORD_MARK.length) / 4) * 3 - RECORD_OVERHEAD;

/** Largest data of a bridge's record: with its frame, it is the payload of a frame of the link. */
export const MAX_RECORD_DATA = MAX_FRAME_PAYLOAD - FRAME_HEADER_BYTES - RECORD_OVERHEAD;

/** Types of the frames that a bridge sends to a page, as binary messages. */
export const SealedFrame = {
  /** A record; the flags are its kind. */
  record: 0x16,
  /** The answer to a hello. */
  ready: 0x17,
  /** Empty and in the clear: asks the page for a new handshake. Only a hint. */
  again: 0x18,
} as const;

/** P→B, inside the hello. A replay repeats it: nothing counts before the confirmation. */
export const HelloPayload = z.object({
  v: z.int(),
  device: z.optional(z.string().check(z.maxLength(64))),
  name: z.optional(z.string().check(z.maxLength(80))),
  /** SHA-256 of the page's files, in hex: claimed by the page, not proved. */
  page: z.optional(z.string().check(z.maxLength(64))),
});
export type HelloPayload = z.infer<typeof HelloPayload>;

/** B→P, inside the answer. Open to roles and capabilities of newer bridges. */
export const ReadyPayload = z.object({
  v: z.int(),
  role: z.string(),
  caps: z.array(z.string()),
});
export type ReadyPayload = z.infer<typeof ReadyPayload>;

/** P→B, the first record: proves that the hello was not a replay. The bridge sends nothing before. */
export const Confirm = z.object({ type: z.literal("e2e:confirm") });
export const CONFIRM: z.infer<typeof Confirm> = { type: "e2e:confirm" };

/** B→P, the last record before the bridge closes: the relay gets a generic reason instead. */
export const Closing = z.object({ type: z.literal("e2e:closing"), reason: z.string() });
export type Closing = z.infer<typeof Closing>;

export function toClosing(reason: string): Closing {
  return { type: "e2e:closing", reason };
}

/** Where a page begins to open a channel's output. Sent in records only. */
export const ChannelKey = z.object({
  n: z.int().check(z.gte(0), z.lt(2 ** 32)),
  /** 32 bytes in base64. */
  key: z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/)),
  /** The first counter that the page accepts. */
  counter: z.int().check(z.gte(0), z.lte(MAX_RECORDS)),
  /** Events on the channel so far. */
  events: z.int().check(z.gte(0), z.lt(2 ** 32)),
});
export type ChannelKey = z.infer<typeof ChannelKey>;

/** B→P: the next output of the channel uses this key, and the one before opens nothing more. */
export const PtyKey = z.extend(ChannelKey, {
  type: z.literal("pty:key"),
  id: z.string(),
  channel: z.int().check(z.gte(0), z.lt(2 ** 32)),
});
export type PtyKey = z.infer<typeof PtyKey>;

export function encodePtyKey(message: Omit<PtyKey, "type">): string {
  const key: PtyKey = { type: "pty:key", ...message };
  return JSON.stringify(key);
}

export function encodeHandshake(message: Bytes): Bytes {
  return concatBytes(Uint8Array.of(HANDSHAKE_VERSION), message);
}

/** Returns the Noise message of a hello or ready; throws if it has another version. */
export function decodeHandshake(bytes: Bytes): Bytes {
  if (bytes.length === 0) throw new SealedFault("malformed", "The handshake message is empty");
  if (bytes[0] !== HANDSHAKE_VERSION)
    throw new SealedFault("version", `Unknown version ${bytes[0]} of the handshake`);
  return bytes.slice(1);
}

export function encodeReadyFrame(message: Bytes): Bytes {
  return encodeFrame(SealedFrame.ready, 0, encodeHandshake(message));
}

export function encodeRecordFrame(kind: RecordKind, record: Bytes): Bytes {
  return encodeFrame(SealedFrame.record, 0, record, kind);
}

export function encodeAgainFrame(): Bytes {
  return encodeFrame(SealedFrame.again, 0);
}
