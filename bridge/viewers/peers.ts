// Owns who is in the rooms: the viewers that each room told of, and what each is attached to.

import type { PeerJoined } from "../../protocol/link.ts";
import type { Caller } from "../callers/caller.ts";
import type { ChannelTable, LinkSender } from "../channels/table.ts";
import type { RenditionName } from "../channels/rendition.ts";

/** Where peers come from: the relay's room, or the one on this machine. */
export interface Home {
  readonly link: LinkSender;
  readonly channels: ChannelTable;
}

/** The bridge came back and told a viewer so: each time the viewer answers with its place. */
export interface Returned {
  /** When it was last told, or given a new start because it did not answer. */
  readonly at: number;
  /** Answers that may still come: the link can be cut again before the first has. */
  readonly owed: number;
}

export interface Attachment {
  /** Usually its peer's own; a panel's is another. */
  readonly rendition: RenditionName;
  /** The size that it was told with its snapshot; a change before it joins would pass it by. */
  toldSize: { readonly cols: number; readonly rows: number } | undefined;
  /** Rises with every attach; what belongs to an older one is not for this peer any more. */
  readonly attach: number;
  /** The channel's number in the room, once it is known. */
  channel: number | undefined;
  /** Nothing is sent to it yet: it is waited for its place. */
  awaited: boolean;
  /** It gets the channel's output from the room. */
  joined: boolean;
  /** Up to where the room sent it before it was too far behind; undefined while it is not. */
  skippedAt: number | undefined;
  /** Undefined when it has answered every return of the bridge that it was told of. */
  returned: Returned | undefined;
  /** The last offset that the peer said it has rendered. */
  acked: number | undefined;
  /** When it last got a new start without having asked for it. */
  readonly renewedAt: number;
  /** Called with every ack while a replay waits for it. */
  onAck: (() => void) | undefined;
}

export interface Ended {
  readonly rendition: RenditionName;
  /** By which it was sent it. */
  readonly channel: number;
  returned: Returned | undefined;
}

export interface Peer {
  readonly number: number;
  readonly home: Home;
  /** What it gets unless it asks for another. */
  readonly rendition: RenditionName;
  readonly caller: Caller;
  readonly joinedAt: number;
  /** By terminal id. */
  readonly attached: Map<string, Attachment>;
  /** Finished terminals that it was sent to the end. */
  readonly ended: Map<string, Ended>;
}

export class PeerTable {
  readonly #peers = new Map<number, Peer>();
  readonly #byCaller = new Map<Caller, Peer>();

  get(number: number): Peer | undefined {
    return this.#peers.get(number);
  }

  of(caller: Caller): Peer | undefined {
    return this.#byCaller.get(caller);
  }

  all(): Peer[] {
    return [...this.#peers.values()];
  }

  add(number: number, home: Home, caller: Caller, { joinedAt, raw }: PeerJoined): Peer {
    const rendition = raw === true ? "raw" : "json";
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

  /** Everybody of one room is gone, or will be told anew. */
  removeAll(home: Home): Peer[] {
    const gone = this.all().filter((peer) => peer.home === home);
    for (const { number } of gone) this.remove(number);
    return gone;
  }

  attachedTo(id: string): Peer[] {
    return this.all().filter((peer) => peer.attached.has(id));
  }
}
