// Owns the table of channels and the subscriptions of peers to them. What a channel does with its
// output is in channel.ts.

import { MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Acked, ChannelOpen, Join } from "../../protocol/link.ts";
import type { Output } from "../../protocol/output.ts";
import type { ChannelEntry, SubscriptionEntry } from "./attachment.ts";
import { Channel } from "./channel.ts";
import type { Link } from "./link.ts";
import type { Peer, Subscription } from "./peers.ts";
import type { StoredChannel } from "./records.ts";

/** More than any bridge has terminals; keeps a mad one from filling the room's memory. */
const MAX_CHANNELS = 4096;

export class Channels {
  readonly #channels = new Map<number, Channel>();

  /** Takes up a channel again after a sleep. */
  restore({ entry, received }: StoredChannel): void {
    this.#channels.set(entry[0], new Channel(entry, received));
  }

  /** Takes up a subscription again after a sleep; its acks are not known any more. */
  resume(peer: Peer, [number, attach, skipped, from]: SubscriptionEntry): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    const sent = Math.max(from, channel.received ?? 0);
    subscribe(channel, { peer, channel: number, attach, sent, acked: undefined, skipped });
  }

  has(number: number): boolean {
    return this.#channels.has(number);
  }

  /** False when there are too many. */
  open(number: number, { key, text }: ChannelOpen): boolean {
    if (this.#channels.size >= MAX_CHANNELS) return false;
    this.#channels.set(number, new Channel([number, key, text], null));
    return true;
  }

  close(number: number): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    this.#channels.delete(number);
    for (const { peer } of channel.members) {
      peer.subscriptions.delete(number);
      peer.save();
    }
  }

  /** False when the peer has as many channels as it may. Joins of an older attach are ignored. */
  join(number: number, peer: Peer, { attach, offset }: Join): boolean {
    const channel = this.#channels.get(number);
    if (channel === undefined) return true;
    const present = peer.subscriptions.get(number);
    if (present !== undefined && attach <= present.attach) return true;
    if (present === undefined && peer.subscriptions.size >= MAX_ATTACHED) return false;
    channel.drop(present);
    channel.joinedAt(offset);
    const start = { sent: offset, acked: offset, skipped: false };
    subscribe(channel, { peer, channel: number, attach, ...start });
    peer.save();
    return true;
  }

  leave(number: number, peer: Peer): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    channel.drop(peer.subscriptions.get(number));
    peer.subscriptions.delete(number);
    peer.save();
  }

  /** The peer is gone; nothing of it is saved. */
  forget(peer: Peer): void {
    for (const [number, subscription] of peer.subscriptions) {
      this.#channels.get(number)?.drop(subscription);
    }
  }

  acked(number: number, peer: Peer, { attach, offset }: Acked): void {
    if (!peer.acks) {
      peer.acks = true;
      peer.save();
    }
    const subscription = peer.subscriptions.get(number);
    if (subscription === undefined || subscription.attach !== attach) return;
    subscription.acked = Math.max(subscription.acked ?? 0, offset);
  }

  /** The data path. False when there is no such channel. */
  output(link: Link, number: number, output: Output): boolean {
    const channel = this.#channels.get(number);
    channel?.output(link, output);
    return channel !== undefined;
  }

  /** Tells the bridge of everything that came in and was not told yet. */
  markAll(link: Link): void {
    for (const channel of this.#channels.values()) channel.mark(link);
  }

  introduce(link: Link): void {
    for (const channel of this.#channels.values()) channel.introduce(link);
  }

  entries(): ChannelEntry[] {
    return Array.from(this.#channels.values(), ({ number, key, text }) => [number, key, text]);
  }

  stored(): StoredChannel[] {
    return Array.from(this.#channels.values(), ({ number, key, text, received }) => ({
      entry: [number, key, text],
      received,
    }));
  }
}

function subscribe(channel: Channel, subscription: Subscription): void {
  subscription.peer.subscriptions.set(channel.number, subscription);
  channel.add(subscription);
}
