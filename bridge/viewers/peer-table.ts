// Owns the viewers in the rooms, and the attachments of each.

import type { PeerJoined } from "../../protocol/link.ts";
import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import type { Caller } from "../callers/caller.ts";
import type { ChannelTable, LinkSender } from "../channels/channel-table.ts";
import type { RenditionName } from "../channels/rendition.ts";
import { toSealed } from "../channels/rendition.ts";

/** The room that peers belong to: the relay's, or one on this machine. */
export interface PeerRoom {
  readonly link: LinkSender;
  readonly channels: ChannelTable;
}

/** The bridge came back and notified a viewer; the viewer answers each time with its position. */
export interface ReturnNotice {
  /** Time of the last notice, or of a new start for lack of an answer. */
  readonly at: number;
  /** Answers that may still come: the link can be cut again before the first arrives. */
  readonly owed: number;
}

export interface Attachment {
  /** Usually the peer's own; a panel has its own. */
  readonly rendition: RenditionName;
  /** Size sent with its snapshot; a change before it joins must be sent on joining. */
  sentSize: { readonly cols: number; readonly rows: number } | undefined;
  /** Increases with every attach; messages about older ones are ignored. */
  readonly attach: number;
  /** The channel's number in the room, once known. */
  channel: number | undefined;
  /** Nothing has been sent yet: the bridge waits for its position. */
  isAwaitingPosition: boolean;
  /** The sealed channel's key as it was sent last: its number, and the events so far. */
  sentKey: Pick<ChannelKey, "n" | "events"> | undefined;
  /** Gets the channel's output from the room. */
  isJoined: boolean;
  /** Offset at which the room skipped it; undefined if it is not skipped. */
  skippedAt: number | undefined;
  /** Undefined if it has answered every notice of the bridge's return. */
  returnNotice: ReturnNotice | undefined;
  /** The last offset that the peer acked. */
  acked: number | undefined;
  /** Time of its last unrequested new start. */
  readonly renewedAt: number;
  /** Fires on every ack while a replay waits for it. */
  onAck: (() => void) | undefined;
}

export interface EndedAttachment {
  readonly rendition: RenditionName;
  /** The channel that sent its output. */
  readonly channel: number;
  returnNotice: ReturnNotice | undefined;
}

export interface Peer {
  readonly number: number;
  readonly home: PeerRoom;
  /** The rendition it gets unless it requests another. */
  readonly rendition: RenditionName;
  readonly caller: Caller;
  readonly joinedAt: number;
  /** Keyed by terminal id. */
  readonly attached: Map<string, Attachment>;
  /** Finished terminals that it was sent completely. */
  readonly ended: Map<string, EndedAttachment>;
}

export class PeerTable {
  readonly #peers = new Map<number, Peer>();
  readonly #byCaller = new Map<Caller, Peer>();

  get(number: number): Peer | undefined {
    return this.#peers.get(number);
  }

  findByCaller(caller: Caller): Peer | undefined {
    return this.#byCaller.get(caller);
  }

  all(): Peer[] {
    return [...this.#peers.values()];
  }

  add(number: number, home: PeerRoom, caller: Caller, { joinedAt, raw }: PeerJoined): Peer {
    const plain = raw === true ? "raw" : "json";
    const rendition = caller.sealed === undefined ? plain : toSealed(plain);
    const [attached, ended] = [new Map(), new Map()];
    const peer: Peer = { number, home, rendition, caller, joinedAt, attached, ended };
    this.#peers.set(number, peer);
    this.#byCaller.set(caller, peer);
    return peer;
  }

  remove(number: number): Peer | undefined {
    const peer = this.#peers.get(number);
    if (peer === undefined) return undefined;
    this.#peers.delete(number);
    this.#byCaller.delete(peer.caller);
    return peer;
  }

  /** Removes all peers of one room, which are gone or will be announced again. */
  removeAll(home: PeerRoom): Peer[] {
    const gone = this.all().filter((peer) => peer.home === home);
    for (const { number } of gone) this.remove(number);
    return gone;
  }

  listAttachedTo(id: string): Peer[] {
    return this.all().filter((peer) => peer.attached.has(id));
  }
}
