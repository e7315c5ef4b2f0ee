// Owns the door for terminals on this machine: a socket that `pairpty shell` and `attach` connect
// to, one viewer a connection. It speaks the raw rendition in frames: JSON text in `peerMessage`
// and `peerSend`, output and acks as they are.

import type { Socket } from "node:net";
import { encodeFrame, FrameDecoder } from "../../protocol/frame.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_PEER_MESSAGE, UNPROVEN_BYTES } from "../../protocol/limits.ts";
import { decodeAcks } from "../../protocol/raw.ts";
import { ChannelTable } from "../channels/table.ts";
import type { Words } from "../channels/rendition.ts";
import type { PtyDialect } from "../dialects/pty/dialect.ts";
import type { Home } from "../dialects/pty/peers.ts";
import { GRANT_ENDED } from "../dialects/pty/words.ts";
import { LocalSocket } from "../local-socket.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { ConnectionGrants } from "./connection.ts";
import { grantConnection } from "./connection.ts";
import { LocalRoom } from "./room.ts";

/** Above every number that a relay's room gives. */
const FIRST_PEER = 0x8000_0000;

/** Written and not taken: acks can be made up, but not this. */
const MOST_UNTAKEN = UNPROVEN_BYTES;

/** How others see who drives from here. */
const LABEL = "terminal on the bridge's machine";

export interface DoorParts {
  readonly pool: TerminalPool;
  readonly grants: ConnectionGrants;
  readonly dialect: PtyDialect;
  readonly words: (terminal: PoolTerminal) => Words;
  readonly log: Log;
}

export function terminalDoor(parts: DoorParts): LocalSocket {
  let lastPeer = FIRST_PEER;
  return new LocalSocket((socket) => serve(socket, ++lastPeer, parts));
}

function serve(socket: Socket, number: number, parts: DoorParts): void {
  const { pool, grants, dialect, words, log } = parts;
  const grant = grantConnection(socket, grants, { role: "edit", scopes: [], label: LABEL }, () =>
    room.send(FrameType.peerClose, number, toPayload(GRANT_ENDED)),
  );
  const room = new LocalRoom(number, {
    send: (type, stream, payload, flags) => {
      if (!socket.writable) return;
      socket.write(encodeFrame(type, stream, payload, flags));
      if (socket.writableLength > MOST_UNTAKEN) socket.destroy();
    },
    // Not at once: the channel that sent it is still counting.
    received: (channel, offset) =>
      queueMicrotask(() => home.channels.byNumber(channel)?.channel.received(offset)),
    skipped: (channel, attach, sent) =>
      dialect.skipped(home, channel, { peer: number, attach, sent }),
    drained: (channel, attach) => dialect.drained(home, channel, { peer: number, attach }),
    end: (payload) => socket.end(encodeFrame(FrameType.peerClose, 0, payload)),
  });
  const home: Home = { link: room, channels: new ChannelTable(pool, room, words, log) };
  const decoder = new FrameDecoder();
  dialect.open(home);
  dialect.joined(home, number, {
    grant: grant.id,
    joinedAt: Date.now(),
    raw: true,
    subscriptions: [],
  });
  socket.on("data", (chunk: Buffer) => {
    const decoded = decoder.push(chunk);
    for (const frame of decoded.frames) onFrame(frame, dialect, number, room);
    if (!decoded.ok) socket.destroy();
  });
  socket.on("close", () => {
    dialect.left(number);
    dialect.close(home);
  });
}

function onFrame({ type, payload }: Frame, dialect: PtyDialect, peer: number, room: LocalRoom) {
  if (type === FrameType.peerMessage && payload.length <= MAX_PEER_MESSAGE) {
    dialect.message(peer, payload);
  }
  if (type !== FrameType.acks) return;
  const acks = decodeAcks(payload) ?? [];
  dialect.acks(peer, acks);
  for (const ack of acks) room.acked(ack);
}
