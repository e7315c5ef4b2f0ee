// Owns one channel: its members, how much was received, and the fan-out. Strictly synchronous, with
// members in an array: listing the runtime's sockets would decode each one's attachment. Bodies are
// opaque: text is decoded once for all members; members of raw channels get the frame's own bytes.

import { FrameType } from "../../protocol/frame-types.ts";
import type { Frame } from "../../protocol/frame.ts";
import { toFrameBytes } from "../../protocol/frame.ts";
import { RECEIPT_EVERY_BYTES, RECEIPT_EVERY_FRAMES } from "../../protocol/limits.ts";
import type { Drained, Skipped } from "../../protocol/link.ts";
import { decodeOutput, encodeOffset, ACK_REQUESTED } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { ChannelEntry } from "./socket-state.ts";
import type { ReceivedCount } from "./received-counts.ts";
import { ACK_STEP, acknowledge, tryDrain, assumeAcked, decideDelivery } from "./delivery.ts";
import type { Link } from "./link.ts";
import type { Subscription } from "./peers.ts";

export class Channel {
  readonly number: number;
  readonly key: string;
  readonly text: boolean;
  readonly #count: ReceivedCount;
  /** The offset of the last `received` that was sent, or where counting began. */
  #marked: number | null;
  /** Output frames since the last mark. */
  #unmarked = 0;
  /** The bridge requested a mark. */
  #isMarkRequested = false;
  #members: Subscription[] = [];

  constructor([number, key, text]: ChannelEntry, count: ReceivedCount) {
    this.number = number;
    this.key = key;
    this.text = text;
    this.#count = count;
    this.#marked = count.received;
  }

  /** Returns the offset up to which output was received; null when there was none or unknown. */
  get received(): number | null {
    return this.#count.received;
  }

  get members(): readonly Subscription[] {
    return this.#members;
  }

  add(subscription: Subscription): void {
    this.#members = [...this.#members, subscription];
  }

  remove(subscription: Subscription | undefined): void {
    this.#members = this.#members.filter((member) => member !== subscription);
  }

  /** Records a join. The link is in order, so all output before its offset has arrived. */
  recordJoin(offset: number): void {
    this.#count.received = Math.max(this.received ?? 0, offset);
    this.#marked ??= this.received;
  }

  /** Sends an output frame to the members. Hot path. Returns false when the frame is malformed. */
  output(link: Link, frame: Frame): boolean {
    const output = decodeOutput(frame.payload);
    if (output === undefined) return false;
    const { offset, span, body } = output;
    const end = offset + span;
    if (this.#members.length > 0) {
      const message = this.text ? toText(body) : toFrameBytes(frame);
      for (const subscription of this.#members) {
        const { peer } = subscription;
        const decision = decideDelivery(subscription, peer.getLagCap(this.number), offset, end);
        if (decision === "skip") skipMember(link, subscription);
        if (decision !== "send") continue;
        peer.send(message, body.length);
        peer.rate.refund();
      }
    }
    this.#count.received = Math.max(this.received ?? 0, end);
    this.#marked ??= offset;
    this.#unmarked++;
    this.#isMarkRequested ||= (frame.flags & ACK_REQUESTED) !== 0;
    return true;
  }

  /** Whether enough was received, or the bridge asked, for a mark to be sent. */
  get isMarkDue(): boolean {
    if (this.#isMarkRequested || this.#unmarked >= RECEIPT_EVERY_FRAMES) return true;
    return (this.received ?? 0) - (this.#marked ?? 0) >= RECEIPT_EVERY_BYTES;
  }

  /** Sends the bridge the received offset, unless it already has it. */
  mark(link: Link): void {
    if (this.received === null || this.received === this.#marked) return;
    this.#marked = this.received;
    this.#unmarked = 0;
    this.#isMarkRequested = false;
    link.send(FrameType.received, this.number, encodeOffset(this.received));
  }

  /**
   * Sends a new link this channel's state. If the room no longer knows what was sent, all members
   * must join again.
   */
  sendState(link: Link): void {
    const { key, received } = this;
    link.sendJson(FrameType.channelState, this.number, { key, received });
    this.#marked = received;
    this.#unmarked = 0;
    if (received !== null) return;
    for (const subscription of this.#members) {
      // The peer's own record makes the bridge join it again; no drain is pending.
      subscription.state = "drained";
      subscription.peer.save();
    }
  }
}

/** Applies a peer's ack, however it arrived. */
export function applyAck(link: Link | undefined, subscription: Subscription, offset: number): void {
  if (acknowledge(subscription, offset)) reportDrained(link, subscription);
  else if (subscription.acked - subscription.written >= ACK_STEP) subscription.peer.save();
}

/** Skips a member, and saves that at once: a wake without it would send bytes out of order. */
function skipMember(link: Link, subscription: Subscription): void {
  const { peer, channel, attach, sent } = subscription;
  const skipped: Skipped = { peer: peer.number, attach, sent };
  link.sendJson(FrameType.skipped, channel, skipped);
  // A peer that never acks could not drain.
  if (!peer.isLagMeasured) assumeAcked(subscription);
  if (tryDrain(subscription)) reportDrained(link, subscription);
  else peer.save();
}

/** Reports that a member has drained; without a link, the next one learns it with the peer. */
function reportDrained(link: Link | undefined, { peer, channel, attach }: Subscription): void {
  peer.save();
  const drained: Drained = { peer: peer.number, attach };
  link?.sendJson(FrameType.drained, channel, drained);
}
