// Owns the channels: who is joined to each, what came in, and the fan-out. Strictly synchronous,
// and on sockets kept in arrays: asking the runtime for its sockets costs one decoding for each.
// Bodies are opaque: text channels are decoded once for all, others pass as they are.

import { FrameType } from "../../protocol/frame-types.ts";
import { MARK_EVERY_BYTES, MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Acked, ChannelOpen, Join } from "../../protocol/link.ts";
import type { Output } from "../../protocol/output.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { ChannelEntry, SubscriptionEntry } from "./attachment.ts";
import { decideDelivery } from "./delivery.ts";
import type { Link } from "./link.ts";
import type { Peer, Subscription } from "./peers.ts";
import type { StoredChannel } from "./records.ts";
import { trySend } from "./sockets.ts";

/** More than any bridge has terminals; keeps a mad one from filling the room's memory. */
const MAX_CHANNELS = 4096;

export interface Channel {
  readonly number: number;
  readonly key: string;
  readonly text: boolean;
  /** Everything before it came in; null when the room slept since. */
  received: number | null;
  /** The last `received` that the bridge was told, or where counting began. */
  marked: number | null;
  members: Subscription[];
}

export class Channels {
  readonly #channels = new Map<number, Channel>();

  /** Takes up a channel again after a sleep. */
  restore({ entry: [number, key, text], received }: StoredChannel): void {
    const marked = received;
    this.#channels.set(number, { number, key, text, received, marked, members: [] });
  }

  /** Takes up a subscription again after a sleep; its acks are not known any more. */
  resume(peer: Peer, [number, attach, skipped, from]: SubscriptionEntry): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    const sent = Math.max(from, channel.received ?? 0);
    this.#subscribe(channel, { peer, channel: number, attach, sent, acked: undefined, skipped });
  }

  has(number: number): boolean {
    return this.#channels.has(number);
  }

  /** False when there are too many. */
  open(number: number, { key, text }: ChannelOpen): boolean {
    if (this.#channels.has(number)) return true;
    if (this.#channels.size >= MAX_CHANNELS) return false;
    this.#channels.set(number, { number, key, text, received: null, marked: null, members: [] });
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
    this.#drop(channel, present);
    // The link is in order: a join at an offset says that all output before it has come.
    channel.received = Math.max(channel.received ?? 0, offset);
    channel.marked ??= channel.received;
    const acked = offset;
    this.#subscribe(channel, {
      peer,
      channel: number,
      attach,
      sent: offset,
      acked,
      skipped: false,
    });
    peer.save();
    return true;
  }

  leave(number: number, peer: Peer): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    this.#drop(channel, peer.subscriptions.get(number));
    peer.subscriptions.delete(number);
    peer.save();
  }

  /** The peer is gone; nothing of it is saved. */
  forget(peer: Peer): void {
    for (const [number, subscription] of peer.subscriptions) {
      const channel = this.#channels.get(number);
      if (channel !== undefined) this.#drop(channel, subscription);
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
  output(link: Link, number: number, { offset, span, body }: Output): boolean {
    const channel = this.#channels.get(number);
    if (channel === undefined) return false;
    const end = offset + span;
    const message = channel.text && channel.members.length > 0 ? toText(body) : body;
    for (const subscription of channel.members) {
      const { peer } = subscription;
      const decision = decideDelivery(subscription, peer.acks, offset, end);
      if (decision === "skip") skip(link, subscription);
      if (decision !== "send") continue;
      trySend(peer.socket, message);
      subscription.acked ??= offset;
      subscription.sent = end;
    }
    channel.received = Math.max(channel.received ?? 0, end);
    channel.marked ??= offset;
    if (channel.received - channel.marked >= MARK_EVERY_BYTES) mark(link, channel);
    return true;
  }

  /** Tells the bridge of everything that came in and was not told yet. */
  markAll(link: Link): void {
    for (const channel of this.#channels.values()) {
      if (channel.received !== null && channel.received !== channel.marked) mark(link, channel);
    }
  }

  /** What a new link must know. Where the room cannot tell what peers got, they must join anew. */
  introduce(link: Link): void {
    for (const channel of this.#channels.values()) {
      const { number, key, received } = channel;
      link.sendJson(FrameType.channelState, number, { key, received });
      channel.marked = received;
      if (received !== null) continue;
      for (const subscription of channel.members) {
        subscription.skipped = true;
        subscription.peer.save();
      }
    }
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

  #subscribe(channel: Channel, subscription: Subscription): void {
    subscription.peer.subscriptions.set(channel.number, subscription);
    channel.members = [...channel.members, subscription];
  }

  #drop(channel: Channel, subscription: Subscription | undefined): void {
    channel.members = channel.members.filter((member) => member !== subscription);
  }
}

function skip(link: Link, subscription: Subscription): void {
  const { peer, channel, attach, sent } = subscription;
  subscription.skipped = true;
  peer.save();
  link.sendJson(FrameType.skipped, channel, { peer: peer.number, attach, sent });
}

function mark(link: Link, channel: Channel): void {
  channel.marked = channel.received;
  link.send(FrameType.received, channel.number, encodeOffset(channel.received ?? 0));
}
