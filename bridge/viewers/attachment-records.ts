// Owns the record of each attachment at its peer: numbers a new one, takes the peer off the channel
// of the one before, and remembers finished ones. A newer record makes older work outdated. Does
// not fetch or send output.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_ATTACHED, MAX_ROOM_NUMBER } from "../../protocol/limits.ts";
import type { Leave, Subscription } from "../../protocol/link.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Attachment, EndedAttachment, Peer, PeerTable } from "./peer-table.ts";
import type { PendingAttach } from "./pending-attach.ts";

/** Maximum finished terminals per peer that can be resumed. */
const MAX_ENDED = MAX_ATTACHED;

export class AttachmentRecords {
  readonly #peers: Pick<PeerTable, "get">;
  #lastAttach = 0;

  constructor(peers: Pick<PeerTable, "get">) {
    this.#peers = peers;
  }

  /** Replaces the peer's attachment by a new one. */
  create(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    renewedAt: number,
  ): PendingAttach {
    this.#leave(peer, terminal.id);
    const attachment = newAttachment(++this.#lastAttach, rendition, renewedAt);
    const before = peer.attached.get(terminal.id) ?? peer.ended.get(terminal.id);
    attachment.returnNotice = before?.returnNotice;
    peer.attached.set(terminal.id, attachment);
    peer.ended.delete(terminal.id);
    return { peer, terminal, attachment, isRequested: false };
  }

  /** Records a subscription that the room still has, as a joined attachment. */
  adopt(
    peer: Peer,
    { channel, attach }: Subscription,
    terminal: PoolTerminal,
    rendition: RenditionName,
    owed: number,
  ): void {
    if (attach <= MAX_ROOM_NUMBER) this.#lastAttach = Math.max(this.#lastAttach, attach);
    const attachment = newAttachment(attach, rendition, 0);
    attachment.channel = channel;
    attachment.isJoined = true;
    attachment.returnNotice = { at: performance.now(), owed };
    peer.attached.set(terminal.id, attachment);
  }

  /** Ends a subscription in the room that this peer may not have. */
  refuse({ home, number }: Peer, { channel }: Subscription): void {
    const leave: Leave = { peer: number };
    home.link.send(FrameType.leave, channel, toPayload(leave));
  }

  /** Records that the peer was sent everything up to the exit. */
  end(peer: Peer, terminal: PoolTerminal, ended: EndedAttachment): void {
    peer.attached.delete(terminal.id);
    const [oldest] = peer.ended.keys();
    if (oldest !== undefined && peer.ended.size >= MAX_ENDED) peer.ended.delete(oldest);
    peer.ended.set(terminal.id, ended);
  }

  /** Forgets the attachment, also if it has ended. */
  remove(peer: Peer, terminal: PoolTerminal): void {
    this.#leave(peer, terminal.id);
    peer.attached.delete(terminal.id);
    peer.ended.delete(terminal.id);
  }

  /** Whether no newer attach has replaced this one, and the peer is still there. */
  isCurrent({ peer, terminal, attachment }: PendingAttach): boolean {
    return this.#peers.get(peer.number) === peer && peer.attached.get(terminal.id) === attachment;
  }

  #leave(peer: Peer, id: string): void {
    const attachment = peer.attached.get(id);
    if (attachment === undefined) return;
    attachment.onAck = undefined;
    if (!attachment.isJoined || attachment.channel === undefined) return;
    const leave: Leave = { peer: peer.number };
    peer.home.link.send(FrameType.leave, attachment.channel, toPayload(leave));
  }
}

function newAttachment(attach: number, rendition: RenditionName, renewedAt: number): Attachment {
  return {
    attach,
    rendition,
    sentSize: undefined,
    channel: undefined,
    sentKey: undefined,
    isAwaitingPosition: false,
    isJoined: false,
    skippedAt: undefined,
    returnNotice: undefined,
    acked: undefined,
    renewedAt,
    onAck: undefined,
  };
}
