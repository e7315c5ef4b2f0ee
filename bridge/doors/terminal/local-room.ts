// Owns the room of one viewer on this machine: `pairpty shell` and `attach` use a local socket
// instead of the relay, and work without a link. To the dialect it is a room with one peer: output
// is confirmed once written, and a viewer that falls a megabyte behind is skipped and gets a new
// start once it has drained.

import { decodeFrames } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { parsePayload } from "../../../protocol/json.ts";
import { PEER_DRAINED, PEER_HARD_CAP } from "../../../protocol/limits.ts";
import { Join } from "../../../protocol/link.ts";
import type { ChannelAck } from "../../../protocol/output.ts";
import { decodeOutput, decodeGroup } from "../../../protocol/output.ts";
import type { LinkSender } from "../../channels/channel-table.ts";

export interface LocalRoomEvents {
  /** Sends a whole frame to the viewer, as the relay's room would send its body. */
  send(type: number, stream: number, payload: Uint8Array, flags: number): void;
  /** Resolves when everything sent before was written, or the viewer is gone. */
  onWritten(): Promise<void>;
  /** Fires when everything before `offset` of this channel was received. */
  onReceived(channel: number, offset: number): void;
  onSkipped(channel: number, attach: number, sent: number): void;
  onDrained(channel: number, attach: number): void;
  /** Closes the peer; `payload` has the reason. */
  end(payload: Uint8Array): void;
}

interface Subscription {
  readonly attach: number;
  sent: number;
  acked: number;
  skipped: boolean;
}

export class LocalRoom implements LinkSender {
  readonly #peer: number;
  readonly #events: LocalRoomEvents;
  readonly #subscriptions = new Map<number, Subscription>();

  constructor(peer: number, events: LocalRoomEvents) {
    this.#peer = peer;
    this.#events = events;
  }

  send(type: number, stream: number, payload: Uint8Array = new Uint8Array(), flags = 0): void {
    switch (type) {
      case FrameType.peerSend:
        if (stream === this.#peer) this.#events.send(type, 0, payload, flags);
        return;
      case FrameType.groupSend: {
        const group = decodeGroup(payload);
        if (group?.peers.includes(this.#peer) === true) {
          this.#events.send(FrameType.peerSend, 0, group.body, flags);
        }
        return;
      }
      case FrameType.join: {
        const join = parsePayload(Join, payload);
        if (!join.ok) return;
        const { attach, offset } = join.value;
        this.#subscriptions.set(stream, { attach, sent: offset, acked: offset, skipped: false });
        return;
      }
      case FrameType.leave:
      case FrameType.channelClose:
        this.#subscriptions.delete(stream);
        return;
      case FrameType.peerClose:
        this.#events.end(payload);
        return;
      default:
      // Opening channels and observing acks need nothing here.
    }
  }

  sendBytes(frames: Uint8Array): void {
    for (const { type, stream, payload } of decodeFrames(frames).frames) {
      if (type === FrameType.output) this.#output(stream, payload);
    }
  }

  confirmed(): Promise<void> {
    return this.#events.onWritten();
  }

  acked({ channel, offset }: ChannelAck): void {
    const subscription = this.#subscriptions.get(channel);
    if (subscription === undefined) return;
    subscription.acked = Math.max(subscription.acked, Math.min(offset, subscription.sent));
    if (!subscription.skipped || subscription.acked < subscription.sent - PEER_DRAINED) return;
    this.#subscriptions.delete(channel);
    this.#events.onDrained(channel, subscription.attach);
  }

  #output(channel: number, payload: Uint8Array): void {
    const output = decodeOutput(payload);
    if (output === undefined) return;
    const end = output.offset + output.span;
    const subscription = this.#subscriptions.get(channel);
    if (subscription !== undefined && !subscription.skipped) {
      if (end - subscription.acked > PEER_HARD_CAP) {
        subscription.skipped = true;
        this.#events.onSkipped(channel, subscription.attach, subscription.sent);
      } else {
        this.#events.send(FrameType.output, channel, payload, 0);
        subscription.sent = end;
      }
    }
    this.#events.onReceived(channel, end);
  }
}
