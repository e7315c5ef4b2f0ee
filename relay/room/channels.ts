// Owns the table of channels and the subscriptions of peers to them. What a channel does with its
// output is in channel.ts.

import { MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Acked, ChannelOpen, Join } from "../../protocol/link.ts";
import type { Frame } from "../../protocol/frame.ts";
import type { ChannelAck } from "../../protocol/raw.ts";
import type { ChannelEntry, SubscriptionEntry } from "./attachment.ts";
import { Channel, takeAck } from "./channel.ts";
import type { Counts } from "./counts.ts";
import { joinAt, wake } from "./delivery.ts";
import type { Link } from "./link.ts";
import { Marks } from "./marks.ts";
import type { Peer, Subscription } from "./peers.ts";
import type { StoredChannel } from "./records.ts";

/** More than any bridge has terminals; keeps a mad one from filling the room's memory. */
const MAX_CHANNELS = 4096;

export class Channels {
  readonly #channels = new Map<number, Channel>();
  readonly #marks = new Marks();
  /** What came in of each, to be kept through a sleep. */
  readonly counts: Counts = new Map();

  /** Takes up a channel again after a sleep. */
  restore({ entry, received }: StoredChannel): void {
    this.#add(entry, received);
  }

  /**
   * Takes up a subscription again after a sleep. What was written of it is old, but a live one was
   * sent all that came in. Whether the bridge wanted to hear its acks is not known: better too much
   * than nothing.
   */
  resume(peer: Peer, [number, attach, state, sent, acked]: SubscriptionEntry): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    const standing = wake(state, sent, acked, channel.received);
    subscribe(channel, { peer, channel: number, attach, ...standing, watched: true });
  }

  has(number: number): boolean {
    return this.#channels.has(number);
  }

  /** False when there are too many. */
  open(number: number, { key, text }: ChannelOpen): boolean {
    if (this.#channels.size >= MAX_CHANNELS) return false;
    this.#add([number, key, text], null);
    return true;
  }

  close(number: number): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    this.#channels.delete(number);
    this.counts.delete(number);
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
    const standing = joinAt(offset);
    subscribe(channel, { peer, channel: number, attach, ...standing, watched: false });
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

  /** Whether the bridge wants to hear a raw peer's acks on this channel. */
  watch(number: number, peer: Peer, isOn: boolean): void {
    const subscription = peer.subscriptions.get(number);
    if (subscription !== undefined) subscription.watched = isOn;
  }

  /** The bridge read an ack in a peer's text. */
  acked(link: Link, number: number, peer: Peer, { attach, offset }: Acked): void {
    peer.judge();
    const subscription = peer.subscriptions.get(number);
    if (subscription?.attach === attach) takeAck(link, subscription, offset);
  }

  /** A raw peer's own acks. Returns those that the bridge is to hear. */
  ownAcks(link: Link | undefined, peer: Peer, acks: readonly ChannelAck[]): ChannelAck[] {
    const forBridge: ChannelAck[] = [];
    for (const ack of acks) {
      const subscription = peer.subscriptions.get(ack.channel);
      // Not joined yet: the bridge sends it what it missed, at the pace of these.
      if (subscription === undefined || subscription.watched) forBridge.push(ack);
      if (subscription !== undefined) takeAck(link, subscription, ack.offset);
    }
    return forBridge;
  }

  /** The data path. Says what is wrong with the frame, if anything is. */
  output(link: Link, frame: Frame): string | undefined {
    const channel = this.#channels.get(frame.stream);
    if (channel === undefined) return `Output came for channel ${frame.stream}, which is not open.`;
    if (!channel.output(link, frame)) return "An output has no proper offset.";
    if (channel.isMarkDue) this.#marks.due(link, channel);
    return undefined;
  }

  /** Tells the bridge of everything that came in and was not told yet. */
  markAll(link: Link): void {
    for (const channel of this.#channels.values()) channel.mark(link);
  }

  introduce(link: Link): void {
    for (const channel of this.#channels.values()) channel.introduce(link);
  }

  #add(entry: ChannelEntry, received: number | null): void {
    const count = { received };
    this.counts.set(entry[0], count);
    this.#channels.set(entry[0], new Channel(entry, count));
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
