// Owns sending a message to peers through their room.

import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { encodeGroup } from "../../protocol/output.ts";
import { toBytes } from "../../protocol/text.ts";
import type { FrameSender } from "./channel-table.ts";

interface PeerHome {
  readonly link: Pick<FrameSender, "send">;
}

interface NumberedPeer {
  readonly number: number;
}

/** Sends a message to one peer; does nothing if the dialect has none for it. */
export function sendToPeer(
  { home, number }: NumberedPeer & { home: PeerHome },
  message: string | undefined,
): void {
  if (message === undefined) return;
  home.link.send(FrameType.peerSend, number, toBytes(message));
}

/** Sends a message to several peers of one room, in one frame if it fits. */
export function sendToPeers(
  { link }: PeerHome,
  peers: readonly NumberedPeer[],
  message: string | undefined,
): void {
  if (message === undefined) return undefined;
  const body = toBytes(message);
  const numbers = peers.map(({ number }) => number);
  const group = numbers.length > 1 ? encodeGroup(numbers, body) : undefined;
  if (group !== undefined && group.length <= MAX_FRAME_PAYLOAD) {
    return link.send(FrameType.groupSend, 0, group);
  }
  for (const number of numbers) link.send(FrameType.peerSend, number, body);
  return undefined;
}
