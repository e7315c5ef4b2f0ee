// Owns who is in the room: the peers the room told of, and what each is attached to.

import type { PeerJoined } from "../../../protocol/link.ts";

export interface Attachment {
  /** Rises with every attach; frames of an older one are not for this peer any more. */
  readonly attach: number;
  /** Undefined while the replay is being fetched. */
  readonly channel: number | undefined;
  /** The last offset that the peer said it has rendered. */
  readonly acked?: number;
  /** Set when the room skipped this peer: the offset to which it must ack before a new start. */
  readonly skippedAt?: number;
}

export interface Peer {
  readonly number: number;
  readonly grant: string;
  readonly joinedAt: number;
  /** By terminal id. */
  readonly attached: Map<string, Attachment>;
}

export class PeerTable {
  readonly #peers = new Map<number, Peer>();

  get(number: number): Peer | undefined {
    return this.#peers.get(number);
  }

  all(): Peer[] {
    return [...this.#peers.values()];
  }

  add(number: number, { grant, joinedAt }: PeerJoined): Peer {
    const peer: Peer = { number, grant, joinedAt, attached: new Map() };
    this.#peers.set(number, peer);
    return peer;
  }

  remove(number: number): Peer | undefined {
    const peer = this.#peers.get(number);
    this.#peers.delete(number);
    return peer;
  }

  clear(): void {
    this.#peers.clear();
  }

  attachedTo(id: string): Peer[] {
    return this.all().filter((peer) => peer.attached.has(id));
  }
}
