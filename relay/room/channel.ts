// Owns one channel: who is joined, what came in, and the fan-out. Strictly synchronous, and on
// sockets kept in an array: asking the runtime for its sockets costs one decoding for each.
// Bodies are opaque: text channels are decoded once for all, others pass as they are.

import { FrameType } from "../../protocol/frame-types.ts";
import { MARK_EVERY_BYTES } from "../../protocol/limits.ts";
import type { Output } from "../../protocol/output.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { ChannelEntry } from "./attachment.ts";
import { decideDelivery } from "./delivery.ts";
import type { Link } from "./link.ts";
import type { Subscription } from "./peers.ts";
import { trySend } from "./sockets.ts";

export class Channel {
  readonly number: number;
  readonly key: string;
  readonly text: boolean;
  /** Everything before it came in; null when nothing did, or the room slept since. */
  received: number | null;
  /** The last `received` that the bridge was told, or where counting began. */
  #marked: number | null;
  #members: Subscription[] = [];

  constructor([number, key, text]: ChannelEntry, received: number | null) {
    this.number = number;
    this.key = key;
    this.text = text;
    this.received = received;
    this.#marked = received;
  }

  get members(): readonly Subscription[] {
    return this.#members;
  }

  add(subscription: Subscription): void {
    this.#members = [...this.#members, subscription];
  }

  drop(subscription: Subscription | undefined): void {
    this.#members = this.#members.filter((member) => member !== subscription);
  }

  /** The link is in order: a join at an offset says that all output before it has come. */
  joinedAt(offset: number): void {
    this.received = Math.max(this.received ?? 0, offset);
    this.#marked ??= this.received;
  }

  /** The data path. */
  output(link: Link, { offset, span, body }: Output): void {
    const end = offset + span;
    const message = this.text && this.#members.length > 0 ? toText(body) : body;
    for (const subscription of this.#members) {
      const { peer } = subscription;
      const decision = decideDelivery(subscription, peer.acks, offset, end);
      if (decision === "skip") skip(link, subscription);
      if (decision !== "send") continue;
      trySend(peer.socket, message);
      subscription.acked ??= offset;
      subscription.sent = end;
    }
    this.received = Math.max(this.received ?? 0, end);
    this.#marked ??= offset;
    if (this.received - this.#marked >= MARK_EVERY_BYTES) this.mark(link);
  }

  /** Tells the bridge what came in, unless it knows. */
  mark(link: Link): void {
    if (this.received === null || this.received === this.#marked) return;
    this.#marked = this.received;
    link.send(FrameType.received, this.number, encodeOffset(this.received));
  }

  /** What a new link must know. Where the room cannot tell what peers got, they must join anew. */
  introduce(link: Link): void {
    const { key, received } = this;
    link.sendJson(FrameType.channelState, this.number, { key, received });
    this.#marked = received;
    if (received !== null) return;
    for (const subscription of this.#members) {
      subscription.skipped = true;
      subscription.peer.save();
    }
  }
}

/** Written to the attachment at once: a wake that forgot it would send bytes out of order. */
function skip(link: Link, subscription: Subscription): void {
  const { peer, channel, attach, sent } = subscription;
  subscription.skipped = true;
  peer.save();
  link.sendJson(FrameType.skipped, channel, { peer: peer.number, attach, sent });
}
