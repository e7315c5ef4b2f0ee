// Owns the table of channels and the peers' subscriptions to them. channel.ts owns the delivery of
// output.

import { MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Acked, ChannelOpen, Join } from "../../protocol/link.ts";
import type { Frame } from "../../protocol/frame.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import type { ChannelEntry, SubscriptionEntry } from "./socket-state.ts";
import { Channel, applyAck } from "./channel.ts";
import type { ReceivedCounts } from "./received-counts.ts";
import { startAt, restoreProgress } from "./delivery.ts";
import type { Link } from "./link.ts";
import { MarkScheduler } from "./mark-scheduler.ts";
import type { Peer, Subscription } from "./peers.ts";
import type { StoredChannel } from "./records.ts";

/** More than any bridge has terminals; stops a faulty bridge from filling the room's memory. */
const MAX_CHANNELS = 4096;

export class Channels {
  readonly #channels = new Map<number, Channel>();
  readonly #marks = new MarkScheduler();
  /** Received counts by channel, kept through hibernation. */
  readonly counts: ReceivedCounts = new Map();

  /** Restores a channel after hibernation. */
  restore({ entry, received }: StoredChannel): void {
    this.#add(entry, received);
  }

  /**
   * Restores a subscription after hibernation. Its saved offsets are old, but a live one was sent
   * everything received. Whether the bridge wants its acks is unknown, so they are sent.
   */
  restoreSubscription(peer: Peer, [number, attach, state, sent, acked]: SubscriptionEntry): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    const progress = restoreProgress(state, sent, acked, channel.received);
    subscribe(channel, { peer, channel: number, attach, ...progress, watched: true });
  }

  has(number: number): boolean {
    return this.#channels.has(number);
  }

  /** Returns false when there are too many channels. */
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

  /** Returns false at the peer's channel limit. Joins of an older attach are ignored. */
  join(number: number, peer: Peer, { attach, offset }: Join): boolean {
    const channel = this.#channels.get(number);
    if (channel === undefined) return true;
    const present = peer.subscriptions.get(number);
    if (present !== undefined && attach <= present.attach) return true;
    if (present === undefined && peer.subscriptions.size >= MAX_ATTACHED) return false;
    channel.remove(present);
    channel.recordJoin(offset);
    const progress = startAt(offset);
    subscribe(channel, { peer, channel: number, attach, ...progress, watched: false });
    peer.save();
    return true;
  }

  leave(number: number, peer: Peer): void {
    const channel = this.#channels.get(number);
    if (channel === undefined) return;
    channel.remove(peer.subscriptions.get(number));
    peer.subscriptions.delete(number);
    peer.save();
  }

  /** Removes a peer from its channels without saving it, since the peer is gone. */
  forget(peer: Peer): void {
    for (const [number, subscription] of peer.subscriptions) {
      this.#channels.get(number)?.remove(subscription);
    }
  }

  /** Sets whether the bridge wants a raw peer's acks on this channel. */
  watch(number: number, peer: Peer, isOn: boolean): void {
    const subscription = peer.subscriptions.get(number);
    if (subscription !== undefined) subscription.watched = isOn;
  }

  /** Applies an ack that the bridge read in a peer's text. */
  applyAck(link: Link, number: number, peer: Peer, { attach, offset }: Acked): void {
    peer.startMeasuringLag();
    const subscription = peer.subscriptions.get(number);
    if (subscription?.attach === attach) applyAck(link, subscription, offset);
  }

  /** Applies a raw peer's acks. Returns those that the bridge needs. */
  applyRawAcks(link: Link | undefined, peer: Peer, acks: readonly ChannelAck[]): ChannelAck[] {
    const forBridge: ChannelAck[] = [];
    for (const ack of acks) {
      const subscription = peer.subscriptions.get(ack.channel);
      // Not joined yet: the bridge is sending the replay, paced by these acks.
      if (subscription === undefined || subscription.watched) forBridge.push(ack);
      if (subscription !== undefined) applyAck(link, subscription, ack.offset);
    }
    return forBridge;
  }

  /** Delivers an output frame. Hot path. Returns what is wrong with the frame, if anything. */
  output(link: Link, frame: Frame): string | undefined {
    const channel = this.#channels.get(frame.stream);
    if (channel === undefined) return `Output came for channel ${frame.stream}, which is not open.`;
    if (!channel.output(link, frame)) return "An output has no proper offset.";
    if (channel.isMarkDue) this.#marks.schedule(link, channel);
    return undefined;
  }

  /** Sends the bridge every mark that it does not have yet. */
  markAll(link: Link): void {
    for (const channel of this.#channels.values()) channel.mark(link);
  }

  sendStates(link: Link): void {
    for (const channel of this.#channels.values()) channel.sendState(link);
  }

  #add(entry: ChannelEntry, received: number | null): void {
    const count = { received };
    this.counts.set(entry[0], count);
    this.#channels.set(entry[0], new Channel(entry, count));
  }

  entries(): ChannelEntry[] {
    return Array.from(this.#channels.values(), ({ number, key, text }) => [number, key, text]);
  }

  toStored(): StoredChannel[] {
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
