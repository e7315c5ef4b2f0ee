// Owns what a message from a peer is: text for the bridge, acks in binary from those who speak the
// raw rendition, or a mistake that costs the socket. Does not know what the text says.

import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_PEER_MESSAGE } from "../../protocol/limits.ts";
import type { ChannelAck } from "../../protocol/raw.ts";
import { decodeAcks } from "../../protocol/raw.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Refusal } from "./hello.ts";

export type PeerMessage =
  | { readonly is: "text"; readonly bytes: Uint8Array }
  | { readonly is: "acks"; readonly acks: readonly ChannelAck[] }
  | { readonly is: "refused"; readonly refusal: Refusal };

export function readPeerMessage(isRaw: boolean, message: string | ArrayBuffer): PeerMessage {
  if (typeof message !== "string") return isRaw ? readAcks(message) : NO_BYTES;
  if (message.length > MAX_PEER_MESSAGE) return TOO_LONG;
  const bytes = toBytes(message);
  return bytes.length > MAX_PEER_MESSAGE ? TOO_LONG : { is: "text", bytes };
}

function readAcks(message: ArrayBuffer): PeerMessage {
  if (message.byteLength > MAX_PEER_MESSAGE) return TOO_LONG;
  const decoded = decodeFrames(new Uint8Array(message));
  const [frame] = decoded.frames;
  const isOne = decoded.ok && decoded.frames.length === 1 && frame?.type === FrameType.acks;
  const acks = isOne ? decodeAcks(frame.payload) : undefined;
  return acks === undefined ? NO_ACKS : { is: "acks", acks };
}

const NO_BYTES = refused(CloseCode.badMessage, "This subprotocol has text only.");
const NO_ACKS = refused(CloseCode.badMessage, "A binary message must be one frame of acks.");
const TOO_LONG = refused(CloseCode.tooBig, "The message is too long.");

function refused(code: number, reason: string): PeerMessage {
  return { is: "refused", refusal: { code, reason } };
}
