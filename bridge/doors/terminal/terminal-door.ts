// Owns the door for windows on this machine: a socket for `pairpty shell` and `attach`, one viewer
// per connection. It uses the raw rendition in frames: JSON text in `peerMessage` and `peerSend`,
// output and acks as they are. Also owns the room of one viewer on this machine: `pairpty shell`
// and `attach` use a local socket instead of the relay, and work without a link.

import type { Socket } from "node:net";
import { FrameType } from "../../../protocol/frame-types.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { encodeFrame, FrameDecoder, decodeFrames } from "../../../protocol/frame.ts";
import { parsePayload } from "../../../protocol/json.ts";
import {
  MAX_PEER_MESSAGE,
  UNPROVEN_BYTES,
  PEER_DRAINED,
  PEER_HARD_CAP,
} from "../../../protocol/limits.ts";
import { Join } from "../../../protocol/link.ts";
import type { ChannelAck } from "../../../protocol/output.ts";
import { decodeAcks, decodeOutput, decodeGroup } from "../../../protocol/output.ts";
import type { ChannelPool, GetChannelMessages, LinkSender } from "../../channels/channel-table.ts";
import { ChannelTable } from "../../channels/channel-table.ts";
import { logFault, logErrors } from "../../faults.ts";
import type { GrantTable } from "../../grants/grant-table.ts";
import { LocalSocket } from "../../local/local-socket.ts";
import type { Log } from "../../log.ts";
import type { PeerRoom } from "../../viewers/peer-table.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import type { RoomDoorDeps } from "../room-door.ts";
import { RoomDoor } from "../room-door.ts";

/** Higher than every number from a relay's room. */
const FIRST_PEER = 0x8000_0000;

/** Written and unread bytes: a client can fake acks, but not this. */
const MAX_UNREAD_BYTES = UNPROVEN_BYTES;

/** Label that others see for typing from here. */
const LABEL = "the host's terminal";

export interface TerminalDoorDeps {
  readonly pool: ChannelPool;
  readonly grants: Pick<GrantTable, "lookUp" | "mint" | "revoke">;
  readonly hub: RoomDoorDeps["hub"];
  readonly viewers: RoomDoorDeps["viewers"] &
    Pick<Viewers, "onRawAcks" | "onDrained" | "onSkipped">;
  readonly messages: GetChannelMessages;
  readonly log: Log;
}

export function createTerminalDoor(deps: TerminalDoorDeps): LocalSocket {
  let lastPeer = FIRST_PEER;
  return new LocalSocket((socket) => {
    const grantId = mintGrant(deps);
    try {
      serveViewer(socket, ++lastPeer, grantId, deps);
    } catch (error) {
      logFault(deps.log, "letting a terminal of this machine in", error);
      deps.grants.revoke(grantId);
      socket.destroy();
    }
  });
}

/** Mints a grant for one connection. */
function mintGrant({ grants }: TerminalDoorDeps): string {
  const grantOptions = { role: "edit", scopes: [], label: LABEL, expiresAt: null } as const;
  return grants.mint({ ...grantOptions, scopes: [], session: true, connection: true }).grant.id;
}

function serveViewer(
  socket: Socket,
  number: number,
  grantId: string,
  deps: TerminalDoorDeps,
): void {
  const { pool, grants, hub, viewers, messages, log } = deps;
  const room = new LocalRoom(number, {
    send: (type, stream, payload, flags) => {
      if (!socket.writable) return;
      socket.write(encodeFrame(type, stream, payload, flags));
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
    },
    onWritten: () =>
      new Promise((resolve) => {
        // Called after the earlier writes, and also when the socket is destroyed.
        if (socket.writable) socket.write("", () => resolve());
        else resolve();
      }),
    // Deferred: the channel that sent it is still counting.
    onReceived: (channel, offset) =>
      queueMicrotask(() => home.channels.byNumber(channel)?.channel.onReceived(offset)),
    onSkipped: (channel, attach, sent) =>
      viewers.onSkipped(home, channel, { peer: number, attach, sent }),
    onDrained: (channel, attach) => viewers.onDrained(home, channel, { peer: number, attach }),
    end: (payload) => {
      socket.end(encodeFrame(FrameType.peerClose, 0, payload));
      // A client that reads nothing would keep the socket open.
      socket.destroy();
    },
  });
  const home: PeerRoom = { link: room, channels: new ChannelTable(pool, room, messages, log) };
  const door = new RoomDoor({ name: "terminal", home, hub, viewers, grants, log });
  const decoder = new FrameDecoder();
  door.onJoined(number, { grant: grantId, joinedAt: Date.now(), raw: true, subscriptions: [] });
  const take = logErrors(log, "a frame of a terminal on this machine", (frame: Frame) => {
    const { type, payload } = frame;
    if (type === FrameType.peerMessage && payload.length <= MAX_PEER_MESSAGE) {
      door.onMessage(number, payload);
    }
    if (type !== FrameType.acks) return;
    const acks = decodeAcks(payload) ?? [];
    viewers.onRawAcks(number, acks);
    for (const ack of acks) room.acked(ack);
  });
  socket.on("data", (chunk: Buffer) => {
    const decoded = decoder.push(chunk);
    for (const frame of decoded.frames) take(frame);
    if (!decoded.ok) socket.destroy();
  });
  socket.on("close", () => {
    logErrors(log, "a terminal of this machine that left", () => door.close())();
    grants.revoke(grantId);
  });
}

// To the dialect it is a room with one peer: output is confirmed once written, and a viewer that
// falls a megabyte behind is skipped and gets a new start once it has drained.

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

class LocalRoom implements LinkSender {
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
