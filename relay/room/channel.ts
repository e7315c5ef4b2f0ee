// Owns one channel: who is joined, what came in, and the fan-out. Strictly synchronous, and on
// sockets kept in an array: asking the runtime for its sockets costs one decoding for each.
// Bodies are opaque: text is decoded once for all; of raw channels everybody gets the frame itself,
// as it lies in the link's message.

import { FrameType } from "../../protocol/frame-types.ts";
import type { Frame } from "../../protocol/frame.ts";
import { frameBytes } from "../../protocol/frame.ts";
import { MARK_EVERY_BYTES, MARK_EVERY_FRAMES } from "../../protocol/limits.ts";
import type { Drained, Skipped } from "../../protocol/link.ts";
import { decodeOutput, encodeOffset, MARK_ME } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { ChannelEntry } from "./attachment.ts";
import type { Count } from "./counts.ts";
import { ACK_STEP, acknowledge, drain, forgive, offer } from "./delivery.ts";
import type { Link } from "./link.ts";
import type { Subscription } from "./peers.ts";

export class Channel {
  readonly number: number;
  readonly key: string;
  readonly text: boolean;
  readonly #count: Count;
  /** The last `received` that the bridge was told, or where counting began. */
  #marked: number | null;
  /** Output frames since then. */
  #unmarked = 0;
  /** The bridge wants to know what came. */
  #isAsked = false;
  #members: Subscription[] = [];

  constructor([number, key, text]: ChannelEntry, count: Count) {
    this.number = number;
    this.key = key;
    this.text = text;
    this.#count = count;
    this.#marked = count.received;
  }

  /** Everything before it came in; null when nothing did, or nobody knows any more. */
  get received(): number | null {
    return this.#count.received;
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
    this.#count.received = Math.max(this.received ?? 0, offset);
    this.#marked ??= this.received;
  }

  /** The data path. False when it is no output. */
  output(link: Link, frame: Frame): boolean {
    const output = decodeOutput(frame.payload);
    if (output === undefined) return false;
    const { offset, span, body } = output;
    const end = offset + span;
    if (this.#members.length > 0) {
      const message = this.text ? toText(body) : frameBytes(frame);
      for (const subscription of this.#members) {
        const { peer } = subscription;
        const decision = offer(subscription, peer.capOn(this.number), offset, end);
        if (decision === "skip") skip(link, subscription);
        if (decision !== "send") continue;
        peer.send(message, body.length);
        peer.rate.give();
      }
    }
    this.#count.received = Math.max(this.received ?? 0, end);
    this.#marked ??= offset;
    this.#unmarked++;
    this.#isAsked ||= (frame.flags & MARK_ME) !== 0;
    return true;
  }

  /** So much came in that the bridge is to be told. */
  get isMarkDue(): boolean {
    if (this.#isAsked || this.#unmarked >= MARK_EVERY_FRAMES) return true;
    return (this.received ?? 0) - (this.#marked ?? 0) >= MARK_EVERY_BYTES;
  }

  /** Tells the bridge what came in, unless it knows. */
  mark(link: Link): void {
    if (this.received === null || this.received === this.#marked) return;
    this.#marked = this.received;
    this.#unmarked = 0;
    this.#isAsked = false;
    link.send(FrameType.received, this.number, encodeOffset(this.received));
  }

  /** What a new link must know. Where the room cannot tell what peers got, they must join anew. */
  introduce(link: Link): void {
    const { key, received } = this;
    link.sendJson(FrameType.channelState, this.number, { key, received });
    this.#marked = received;
    this.#unmarked = 0;
    if (received !== null) return;
    for (const subscription of this.#members) {
      // The bridge hears of it with the peer, and has nothing to wait for.
      subscription.state = "drained";
      subscription.peer.save();
    }
  }
}

/** What a peer has rendered, however it was told. */
export function takeAck(link: Link | undefined, subscription: Subscription, offset: number): void {
  if (acknowledge(subscription, offset)) tellDrained(link, subscription);
  else if (subscription.acked - subscription.written >= ACK_STEP) subscription.peer.save();
}

/** Written to the attachment at once: a wake that forgot it would send bytes out of order. */
function skip(link: Link, subscription: Subscription): void {
  const { peer, channel, attach, sent } = subscription;
  const skipped: Skipped = { peer: peer.number, attach, sent };
  link.sendJson(FrameType.skipped, channel, skipped);
  // Nobody waits for the acks of one that sends none.
  if (!peer.isJudged) forgive(subscription);
  if (drain(subscription)) tellDrained(link, subscription);
  else peer.save();
}

/** Without a link, the next one is told with the peer. */
function tellDrained(link: Link | undefined, { peer, channel, attach }: Subscription): void {
  peer.save();
  const drained: Drained = { peer: peer.number, attach };
  link?.sendJson(FrameType.drained, channel, drained);
}
