// Owns the door for windows on this machine: a socket for `pairpty shell` and `attach`, one viewer
// per connection. It uses the raw rendition in frames: JSON text in `peerMessage` and `peerSend`,
// output and acks as they are.

import type { Socket } from "node:net";
import type { Frame } from "../../../protocol/frame.ts";
import { encodeFrame, FrameDecoder } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { MAX_PEER_MESSAGE, UNPROVEN_BYTES } from "../../../protocol/limits.ts";
import { decodeAcks } from "../../../protocol/raw.ts";
import type { ChannelFeed } from "../../channels/table.ts";
import type { ChannelWords } from "../../channels/table.ts";
import { ChannelTable } from "../../channels/table.ts";
import { logFault, unfailing } from "../../faults.ts";
import type { GrantTable } from "../../grants/table.ts";
import { LocalSocket } from "../../local/socket.ts";
import type { Log } from "../../log.ts";
import type { Home } from "../../viewers/peers.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import type { RoomDoorParts } from "../room-door.ts";
import { RoomDoor } from "../room-door.ts";
import { LocalRoom } from "./room.ts";

/** Higher than every number from a relay's room. */
const FIRST_PEER = 0x8000_0000;

/** Written and unread bytes: a client can fake acks, but not this. */
const MOST_UNTAKEN = UNPROVEN_BYTES;

/** Label that others see for typing from here. */
const LABEL = "the host's terminal";

export interface TerminalDoorParts {
  readonly pool: ChannelFeed;
  readonly grants: Pick<GrantTable, "lookUp" | "mint" | "revoke">;
  readonly hub: RoomDoorParts["hub"];
  readonly viewers: RoomDoorParts["viewers"] & Pick<Viewers, "acks" | "drained" | "skipped">;
  readonly words: ChannelWords;
  readonly log: Log;
}

export function terminalDoor(parts: TerminalDoorParts): LocalSocket {
  let lastPeer = FIRST_PEER;
  return new LocalSocket((socket) => {
    const grantId = grantFor(parts);
    try {
      serve(socket, ++lastPeer, grantId, parts);
    } catch (error) {
      logFault(parts.log, "letting a terminal of this machine in", error);
      parts.grants.revoke(grantId);
      socket.destroy();
    }
  });
}

/** Mints a grant for one connection. */
function grantFor({ grants }: TerminalDoorParts): string {
  const wish = { role: "edit", scopes: [], label: LABEL, expiresAt: null } as const;
  return grants.mint({ ...wish, scopes: [], session: true, connection: true }).grant.id;
}

function serve(socket: Socket, number: number, grantId: string, parts: TerminalDoorParts): void {
  const { pool, grants, hub, viewers, words, log } = parts;
  const room = new LocalRoom(number, {
    send: (type, stream, payload, flags) => {
      if (!socket.writable) return;
      socket.write(encodeFrame(type, stream, payload, flags));
      if (socket.writableLength > MOST_UNTAKEN) socket.destroy();
    },
    written: () =>
      new Promise((resolve) => {
        // Called after the earlier writes, and also when the socket is destroyed.
        if (socket.writable) socket.write("", () => resolve());
        else resolve();
      }),
    // Deferred: the channel that sent it is still counting.
    received: (channel, offset) =>
      queueMicrotask(() => home.channels.byNumber(channel)?.channel.received(offset)),
    skipped: (channel, attach, sent) =>
      viewers.skipped(home, channel, { peer: number, attach, sent }),
    drained: (channel, attach) => viewers.drained(home, channel, { peer: number, attach }),
    end: (payload) => {
      socket.end(encodeFrame(FrameType.peerClose, 0, payload));
      // A client that reads nothing would keep the socket open.
      socket.destroy();
    },
  });
  const home: Home = { link: room, channels: new ChannelTable(pool, room, words, log) };
  const door = new RoomDoor({ name: "terminal", home, hub, viewers, grants, log });
  const decoder = new FrameDecoder();
  door.joined(number, { grant: grantId, joinedAt: Date.now(), raw: true, subscriptions: [] });
  const take = unfailing(log, "a frame of a terminal on this machine", (frame: Frame) => {
    const { type, payload } = frame;
    if (type === FrameType.peerMessage && payload.length <= MAX_PEER_MESSAGE) {
      door.message(number, payload);
    }
    if (type !== FrameType.acks) return;
    const acks = decodeAcks(payload) ?? [];
    viewers.acks(number, acks);
    for (const ack of acks) room.acked(ack);
  });
  socket.on("data", (chunk: Buffer) => {
    const decoded = decoder.push(chunk);
    for (const frame of decoded.frames) take(frame);
    if (!decoded.ok) socket.destroy();
  });
  socket.on("close", () => {
    unfailing(log, "a terminal of this machine that left", () => door.close())();
    grants.revoke(grantId);
  });
}
