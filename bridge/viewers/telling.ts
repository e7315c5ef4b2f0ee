// Owns sending a message to peers through the room that each is in.

import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { encodeGroup } from "../../protocol/raw.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Home, Peer } from "./peers.ts";

/** Nothing where a dialect has no word for it. */
export function tell({ home, number }: Peer, message: string | undefined): void {
  if (message === undefined) return;
  home.link.send(FrameType.peerSend, number, toBytes(message));
}

/** The same to several peers of one room, in one frame where it fits. */
export function tellAll(home: Home, peers: readonly Peer[], message: string | undefined): void {
  if (message === undefined) return undefined;
  const body = toBytes(message);
  const numbers = peers.map(({ number }) => number);
  const group = encodeGroup(numbers, body);
  if (numbers.length > 1 && group.length <= MAX_FRAME_PAYLOAD) {
    return home.link.send(FrameType.groupSend, 0, group);
  }
  for (const number of numbers) home.link.send(FrameType.peerSend, number, body);
  return undefined;
}
