// Owns a world in one process for property tests of the flow: a modelled pty host and modelled
// viewers around the real bridge side (dialect, channels, readers) and the real data path of the
// room. Every hop is a queue that moves when the test says so.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RoomDoor } from "../../bridge/doors/room-door.ts";
import type { PeerRoom } from "../../bridge/viewers/peer-table.ts";
import { GrantTable } from "../../bridge/grants/grant-table.ts";
import { createLog } from "../../bridge/log.ts";
import type { RetainedBytes } from "../../bridge/terminals/host-client.ts";
import type { Reader } from "../../bridge/terminals/readers.ts";
import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";
import type { Viewers } from "../../bridge/viewers/viewers.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload } from "../../protocol/json.ts";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { ChannelState, Drained, Skipped } from "../../protocol/link.ts";
import { decodeOffset, decodeAcks, encodeAcks } from "../../protocol/output.ts";
import { Channels } from "../../relay/room/channels.ts";
import { Link } from "../../relay/room/link.ts";
import { LinkFrames } from "../../relay/room/link-frames.ts";
import { readPeerMessage } from "../../relay/room/peer-messages.ts";
import { Peer, Peers } from "../../relay/room/peers.ts";
import { NOTHING_SENT } from "../../relay/room/read-proof.ts";
import { modelledRoom, OneTerminal } from "../support/modelled-room.ts";
import { poolTerminal } from "../support/pool-terminal.ts";
import { Host } from "./host.ts";
import type { Habit } from "./viewer.ts";
import { Viewer } from "./viewer.ts";

const ID = "pty-000001";
const EPOCH = 7;
export class World {
  readonly host = new Host();
  readonly viewers: Viewer[] = [];
  /** Bridge to room and back. */
  readonly up: Uint8Array[] = [];
  readonly down: Uint8Array[] = [];
  complaint: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), "pp-flow-"));
  readonly #terminal: PoolTerminal;
  readonly #door: RoomDoor;
  readonly #people: Viewers;
  readonly #home: PeerRoom;
  readonly #grant: string;
  readonly #peers = new Peers();
  readonly #channels = new Channels();
  #link: Link;
  readonly #frames: LinkFrames;
  #lastPeer = 0;

  constructor() {
    const { host } = this;
    const terminal = poolTerminal({ id: ID, epoch: EPOCH });
    this.#terminal = terminal;
    const pool = new (class extends OneTerminal {
      override read(_terminal: PoolTerminal, reader: Reader, from: number, credit: number): void {
        host.readers.read(reader, from, credit);
      }

      override credit(_terminal: PoolTerminal, reader: Reader, offset: number): void {
        host.readers.credit(reader, offset);
      }

      override park(_terminal: PoolTerminal, reader: Reader, from: number): void {
        host.readers.park(reader, from);
      }

      override unread(_terminal: PoolTerminal, reader: Reader): void {
        host.readers.unread(reader);
      }

      override fetch<T>(
        _terminal: PoolTerminal,
        from: number,
        most: number,
        accept: (retained: RetainedBytes) => T,
        to?: number,
      ): Promise<T> {
        return host.fetch(from, most, accept, to);
      }
    })(terminal);
    const screens = {
      snapshot: () =>
        host.fetch(Number.MAX_SAFE_INTEGER, 0, ({ offset }) => ({
          offset,
          cols: 80,
          rows: 24,
          data: `screen at ${offset}`,
        })),
    };
    const grants = new GrantTable(join(this.#folder, "grants.json"));
    this.#grant = grants.mint({
      role: "edit",
      scopes: [],
      label: "",
      expiresAt: null,
      session: true,
    }).grant.id;
    const sender = {
      send: (type: number, stream: number, payload?: Uint8Array, flags?: number) => {
        if ((payload?.length ?? 0) > MAX_FRAME_PAYLOAD) throw new Error("too long a frame");
        this.up.push(encodeFrame(type, stream, payload, flags));
      },
      sendBytes: (frames: Uint8Array) => void this.up.push(frames),
      // Memory is not what this model is about.
      confirmed: () => Promise.resolve(),
    };
    const log = createLog("silent", () => {});
    const { door, home, viewers } = modelledRoom({ pool, link: sender, grants, screens, log });
    this.#door = door;
    this.#home = home;
    this.#people = viewers;
    this.#link = this.#newLink();
    this.#frames = new LinkFrames({
      peers: this.#peers,
      channels: this.#channels,
      tunnel: undefined as never,
      grants: undefined as never,
      onChannelsChanged: () => {},
      onFarewell: () => {},
      closePeer: () => {},
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }

  join(habit: Habit): Viewer {
    const number = ++this.#lastPeer;
    const socket = fakeSocket((message) => void viewer.inbox.push(message));
    const state = {
      kind: "peer",
      number,
      grant: this.#grant,
      joinedAt: 0,
      raw: true,
      acks: false,
      proof: NOTHING_SENT,
      heard: true,
      subscriptions: [],
    } as const;
    const peer = new Peer(socket, state, () => {
      this.complaint ??= "a viewer that reads was closed";
    });
    this.#peers.add(peer);
    const viewer = new Viewer(number, ID, habit, (message) => this.#fromPeer(peer, message));
    this.viewers.push(viewer);
    this.#link.sendJson(FrameType.peerJoined, number, peer.describe());
    return viewer;
  }

  leave(viewer: Viewer): void {
    const peer = this.#peers.findByNumber(viewer.number);
    if (peer === undefined) return;
    this.viewers.splice(this.viewers.indexOf(viewer), 1);
    this.#peers.remove(peer);
    this.#channels.forget(peer);
    this.#link.send(FrameType.peerLeft, viewer.number);
  }

  /** What is under way between bridge and room is lost; then they meet again. */
  cut(): void {
    this.up.splice(0);
    this.down.splice(0);
    this.#home.channels.suspendAll();
    this.#link = this.#newLink();
    this.#channels.sendStates(this.#link);
    const states = new Map<number, ChannelState>();
    for (const { stream, payload } of this.down.splice(0).flatMap((m) => decodeFrames(m).frames)) {
      const state = parsePayload(ChannelState, payload);
      if (state.ok) states.set(stream, state.value);
    }
    const joined = new Map(this.#peers.all().map((peer) => [peer.number, peer.describe()]));
    this.#door.reconcile(joined, states);
  }

  type(viewer: Viewer): void {
    viewer.say({ type: "pty:input", id: ID, data: "x" });
  }

  /** One step of every queue. True when something moved. */
  async move(): Promise<boolean> {
    this.host.send();
    const arrived = this.host.wire.shift();
    arrived?.();
    // What waits for the host's answer goes on before the next frame, as it does in a process.
    for (let i = 0; i < 8; i++) await Promise.resolve();
    const up = this.up.shift();
    if (up !== undefined) {
      const refusal = this.#frames.onMessage(this.#link, Uint8Array.from(up).buffer);
      this.complaint ??= refusal?.reason;
    }
    const down = this.down.shift();
    if (down !== undefined) this.#toBridge(down);
    let took = false;
    for (const viewer of this.viewers) took = viewer.take() || took;
    return arrived !== undefined || up !== undefined || down !== undefined || took;
  }

  #newLink(): Link {
    const socket = fakeSocket((message) => {
      if (typeof message !== "string") this.down.push(message);
    });
    return new Link(socket, { instance: "0".repeat(32), epoch: 1 });
  }

  #fromPeer(peer: Peer, message: string | Uint8Array): void {
    const raw = typeof message === "string" ? message : Uint8Array.from(message).buffer;
    const parsed = readPeerMessage(true, raw);
    if (parsed.is === "refused") {
      this.complaint ??= parsed.refusal.reason;
      return;
    }
    if (parsed.is !== "acks") {
      this.#link.send(FrameType.peerMessage, peer.number, parsed.bytes);
      return;
    }
    if (parsed.proof !== undefined) peer.acceptProof(parsed.proof);
    const forBridge = this.#channels.applyRawAcks(this.#link, peer, parsed.acks);
    if (forBridge.length === 0) return;
    const payload = decodeFrames(encodeAcks(peer.number, forBridge)).frames[0]?.payload;
    this.#link.send(FrameType.acks, peer.number, payload);
  }

  #toBridge(message: Uint8Array): void {
    for (const { type, stream, payload } of decodeFrames(message).frames) {
      if (type === FrameType.peerJoined) {
        const joined = { grant: this.#grant, joinedAt: 0, raw: true, subscriptions: [] };
        this.#door.onJoined(stream, joined);
      }
      if (type === FrameType.peerLeft) this.#door.onLeft(stream);
      if (type === FrameType.peerMessage) this.#door.onMessage(stream, payload);
      if (type === FrameType.acks) this.#people.onRawAcks(stream, decodeAcks(payload) ?? []);
      if (type === FrameType.received) {
        const offset = decodeOffset(payload) ?? 0;
        this.#home.channels.byNumber(stream)?.channel.onReceived(offset);
      }
      if (type === FrameType.skipped) {
        const skipped = parsePayload(Skipped, payload);
        if (skipped.ok) this.#people.onSkipped(this.#home, stream, skipped.value);
      }
      if (type === FrameType.drained) {
        const drained = parsePayload(Drained, payload);
        if (drained.ok) this.#people.onDrained(this.#home, stream, drained.value);
      }
    }
  }

  /** The bridge asks what the room has, as it does after a quiet while. */
  nudge(): void {
    this.up.push(encodeFrame(FrameType.nudge, 0));
  }

  get terminal(): PoolTerminal {
    return this.#terminal;
  }
}

export function fakeSocket(send: (message: string | Uint8Array) => void): Peer["socket"] {
  const copy = (message: string | Uint8Array) =>
    send(typeof message === "string" ? message : Uint8Array.from(message));
  const socket = { send: copy, setState: () => {}, close: () => {} };
  return socket as unknown as Peer["socket"];
}
