// Owns classifying a peer's message: text for the bridge, binary acks of the raw rendition, or an
// error that closes the socket. Of the text it reads only answers to pings.

import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_AGENT_MESSAGE, MAX_PEER_MESSAGE } from "../../protocol/limits.ts";
import { parseText } from "../../protocol/json.ts";
import { Pong } from "../../protocol/pty.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import { decodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Refusal } from "./hello.ts";

export type PeerMessage =
  /** `proof` is the number of a pong, whose ping was the room's or the bridge's. */
  | { readonly is: "text"; readonly bytes: Uint8Array; readonly proof?: number }
  /** `proof` arrived with the acks. */
  | { readonly is: "acks"; readonly acks: readonly ChannelAck[]; readonly proof?: number }
  | { readonly is: "refused"; readonly refusal: Refusal };

export function readPeerMessage(isRaw: boolean, message: string | ArrayBuffer): PeerMessage {
  if (typeof message !== "string") return isRaw ? readAcks(message) : TEXT_ONLY;
  if (message.length > MAX_PEER_MESSAGE) return TOO_LONG;
  const bytes = toBytes(message);
  if (bytes.length > MAX_PEER_MESSAGE) return TOO_LONG;
  return { is: "text", bytes, ...readPong(message) };
}

/** Reads a coding agent's message, which is always text for the bridge. */
export function readAgentMessage(message: string | ArrayBuffer): PeerMessage {
  if (typeof message !== "string") return TEXT_ONLY;
  if (message.length > MAX_AGENT_MESSAGE) return TOO_LONG_FOR_AGENTS;
  const bytes = toBytes(message);
  return bytes.length > MAX_AGENT_MESSAGE ? TOO_LONG_FOR_AGENTS : { is: "text", bytes };
}

/** Pongs are never longer; longer text is not inspected. */
const MAX_PONG_LENGTH = 100;

function readPong(message: string): { readonly proof?: number } {
  if (message.length > MAX_PONG_LENGTH || !message.includes("pong")) return {};
  const pong = parseText(Pong, message);
  return pong.ok ? { proof: pong.value.n } : {};
}

function readAcks(message: ArrayBuffer): PeerMessage {
  if (message.byteLength > MAX_PEER_MESSAGE) return TOO_LONG;
  const decoded = decodeFrames(new Uint8Array(message));
  const [frame] = decoded.frames;
  const isOne = decoded.ok && decoded.frames.length === 1 && frame?.type === FrameType.acks;
  const acks = isOne ? decodeAcks(frame.payload) : undefined;
  if (acks === undefined) return MALFORMED_ACKS;
  const proof = acks.find(({ channel }) => channel === PROOF_CHANNEL)?.offset;
  if (proof === undefined) return { is: "acks", acks };
  return { is: "acks", acks: acks.filter(({ channel }) => channel !== PROOF_CHANNEL), proof };
}

const TEXT_ONLY = refused(CloseCode.badMessage, "This subprotocol accepts only text.");
const MALFORMED_ACKS = refused(CloseCode.badMessage, "A binary message must be one frame of acks.");
const TOO_LONG = refused(CloseCode.tooBig, "The message is too long.");
const TOO_LONG_FOR_AGENTS = refused(CloseCode.tooBig, "A message may be at most 1 MiB.");

function refused(code: number, reason: string): PeerMessage {
  return { is: "refused", refusal: { code, reason } };
}
