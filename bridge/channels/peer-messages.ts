// Owns sending a message to peers through their room; to sealed ones, in records.

import { FLAG_BINARY, FrameType } from "../../protocol/frame-types.ts";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { encodeGroup } from "../../protocol/output.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { SealedSender } from "../callers/caller.ts";
import type { FrameSender } from "./channel-table.ts";

interface PeerHome {
  readonly link: Pick<FrameSender, "send">;
}

interface NumberedPeer {
  readonly number: number;
  readonly caller?: { readonly sealed?: SealedSender | undefined };
}

/** Sends a message to one peer; does nothing if the dialect has none for it. */
export function sendToPeer(
  peer: NumberedPeer & { readonly home: PeerHome },
  message: string | undefined,
): void {
  if (message !== undefined) sendToPeers(peer.home, [peer], message);
}

/** Sends an encoded message to one peer. */
export function sendBodyToPeer(
  { home, number, caller }: NumberedPeer & { readonly home: PeerHome },
  body: Uint8Array,
): void {
  if (caller?.sealed !== undefined) caller.sealed.send(toText(body));
  else home.link.send(FrameType.peerSend, number, body);
}

/** Sends an output frame to one peer. */
export function sendOutputToPeer(
  { home, number, caller }: NumberedPeer & { readonly home: PeerHome },
  frame: Bytes,
): void {
  if (caller?.sealed !== undefined) caller.sealed.sendOutput(frame);
  else home.link.send(FrameType.peerSend, number, frame, FLAG_BINARY);
}

/**
 * Sends a message to several peers of one room, in one frame if it fits. Sealed ones get a record
 * each: under a common key, any of them could forge it to the others.
 */
export function sendToPeers(
  { link }: PeerHome,
  peers: readonly NumberedPeer[],
  message: string | undefined,
): void {
  if (message === undefined) return undefined;
  const numbers: number[] = [];
  for (const { number, caller } of peers) {
    if (caller?.sealed === undefined) numbers.push(number);
    else caller.sealed.send(message);
  }
  if (numbers.length === 0) return undefined;
  const body = toBytes(message);
  const group = numbers.length > 1 ? encodeGroup(numbers, body) : undefined;
  if (group !== undefined && group.length <= MAX_FRAME_PAYLOAD) {
    return link.send(FrameType.groupSend, 0, group);
  }
  for (const number of numbers) link.send(FrameType.peerSend, number, body);
  return undefined;
}
