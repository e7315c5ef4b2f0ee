// Owns a world in one process for property tests of the flow: a modelled pty host with a ring, holds
// and leases, and modelled viewers, around the real bridge side (dialect, channels, readers) and the
// real data path of the room. Every hop is a queue that moves when the test says so.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChannelTable } from "../../bridge/channels/table.ts";
import { PtyDialect } from "../../bridge/dialects/pty/dialect.ts";
import type { Home } from "../../bridge/dialects/pty/peers.ts";
import { exitWords, outputWording } from "../../bridge/dialects/pty/words.ts";
import { GrantTable } from "../../bridge/grants/table.ts";
import { createLog } from "../../bridge/log.ts";
import { Lease } from "../../bridge/pty-host/lease.ts";
import type { Retained } from "../../bridge/terminals/host-client.ts";
import type { TerminalPool } from "../../bridge/terminals/pool.ts";
import type { Reader } from "../../bridge/terminals/readers.ts";
import { Readers } from "../../bridge/terminals/readers.ts";
import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload } from "../../protocol/json.ts";
import { FRAME_SOFT_BYTES, KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { Drained, Skipped } from "../../protocol/link.ts";
import { decodeOffset, decodeOutput } from "../../protocol/output.ts";
import { decodeAcks, encodeAcks, PROOF_CHANNEL } from "../../protocol/raw.ts";
import { Channels } from "../../relay/room/channels.ts";
import { Link } from "../../relay/room/link.ts";
import { LinkFrames } from "../../relay/room/link-frames.ts";
import { readPeerMessage } from "../../relay/room/peer-messages.ts";
import { Peer, Peers } from "../../relay/room/peers.ts";
import { NOTHING_SENT } from "../../relay/room/proof.ts";

const ID = "pty-000001";
const EPOCH = 7;
/** Small against the real 2 MiB, so that floods lap it often. */
const RING = 640 * KiB;

/** A stream that nobody has to remember: it repeats, but at no length that anything here has. */
const PERIOD = 999_983;
const PATTERN = Uint8Array.from({ length: 2 * PERIOD }, (_, at) => ((at % PERIOD) * 31) & 0xff);
const byteAt = (offset: number): number => PATTERN[offset % PERIOD] ?? 0;

function slice(from: number, to: number): Uint8Array {
  const start = from % PERIOD;
  return PATTERN.subarray(start, start + Math.max(0, to - from));
}

/** The pty host's end of one terminal. */
class Host {
  end = 0;
  first = 0;
  readonly readers: Readers;
  readonly wire: (() => void)[] = [];
  #cursor: number | undefined;
  #credit = 0;
  #lease = new Lease(true);

  constructor() {
    this.readers = new Readers({
      read: (from, credit) => {
        this.#cursor = from;
        this.#credit = credit;
        this.#lease = new Lease(true);
      },
      credit: (offset) => {
        this.#credit = Math.max(this.#credit, offset);
        this.#lease.renew(performance.now());
      },
      unread: () => {
        this.#cursor = undefined;
      },
    });
  }

  get isHeld(): boolean {
    if (this.#cursor === undefined) return false;
    const unsent = this.end - Math.max(this.#cursor, this.first);
    return this.#lease.look(unsent, performance.now()).held;
  }

  /** A held program cannot print. */
  print(bytes: number): void {
    for (let left = bytes; left > 0 && !this.isHeld; left -= 4 * KiB) {
      this.end += Math.min(left, 4 * KiB);
      this.first = Math.max(this.first, this.end - RING);
    }
  }

  send(): void {
    if (this.#cursor === undefined || this.#credit <= this.#cursor) return;
    if (this.#cursor < this.first) {
      const gap = { from: this.#cursor, to: this.first };
      this.wire.push(() => this.readers.gap(gap));
      this.#cursor = this.first;
    }
    const offset = this.#cursor;
    const to = Math.min(this.end, this.#credit, offset + FRAME_SOFT_BYTES);
    if (to <= offset) return;
    this.#cursor = to;
    const body = slice(offset, to);
    this.wire.push(() => this.readers.output({ offset, span: body.length, body }));
  }

  fetch<T>(from: number, most: number, accept: (kept: Retained) => T, to?: number): Promise<T> {
    const start = Math.min(this.end, Math.max(from, this.first, this.end - most));
    const stop = Math.max(start, Math.min(this.end, to ?? this.end));
    return new Promise((resolve, reject) => {
      this.wire.push(() => {
        try {
          resolve(accept({ offset: start, bytes: Buffer.from(slice(start, stop)) }));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}

/** What a viewer does with what it gets. */
export type Habit = "prompt" | "slow" | "late" | "twice" | "never";

export class Viewer {
  readonly number: number;
  readonly inbox: (string | Uint8Array)[] = [];
  channel = -1;
  next = -1;
  rendered = -1;
  acked = -1;
  starts = 0;
  wrong = 0;
  habit: Habit;
  readonly #say: (message: string | Uint8Array) => void;

  constructor(number: number, habit: Habit, say: (message: string | Uint8Array) => void) {
    this.number = number;
    this.habit = habit;
    this.#say = say;
  }

  say(message: object): void {
    this.#say(JSON.stringify(message));
  }

  /** Takes one message off its socket. */
  take(): boolean {
    const message = this.inbox.shift();
    if (message === undefined) return false;
    if (typeof message === "string") this.#onText(message);
    else this.#onFrame(message);
    return true;
  }

  render(): void {
    if (this.habit === "never" || this.next < 0) return;
    const most = this.habit === "slow" ? 20 * KiB : Infinity;
    this.rendered = Math.min(this.next, this.rendered + most);
    if (this.rendered <= this.acked) return;
    const offset =
      this.habit === "late" ? Math.max(this.acked, this.rendered - 60 * KiB) : this.rendered;
    this.acked = offset;
    const acks = encodeAcks(0, [{ channel: this.channel, offset }]);
    this.#say(acks);
    if (this.habit === "twice") this.#say(acks);
  }

  #onText(text: string): void {
    const message: { type: string; channel?: number; offset?: number; snapshot?: string } =
      JSON.parse(text);
    if (message.type !== "pty:attached") return;
    this.starts++;
    this.channel = message.channel ?? -1;
    this.next = message.offset ?? -1;
    this.rendered = this.next;
    this.acked = this.next;
    // The modelled snapshot is of the offset that it says.
    if (message.snapshot !== undefined && message.snapshot !== `screen at ${this.next}`)
      this.wrong++;
  }

  #onFrame(bytes: Uint8Array): void {
    const [frame] = decodeFrames(bytes).frames;
    if (frame?.type === FrameType.proof) {
      const offset = decodeOffset(frame.payload) ?? 0;
      this.#say(encodeAcks(0, [{ channel: PROOF_CHANNEL, offset }]));
      return;
    }
    const output = frame === undefined ? undefined : decodeOutput(frame.payload);
    if (output === undefined || output.span === 0 || frame?.stream !== this.channel) return;
    const end = output.offset + output.span;
    if (end <= this.next) return;
    // A hole, or a byte that was never printed there.
    if (output.offset > this.next) this.wrong++;
    const from = Math.max(0, this.next - output.offset);
    for (let at = from; at < output.body.length; at += 997) {
      if (output.body[at] !== byteAt(output.offset + at)) this.wrong++;
    }
    this.next = end;
  }
}

export class World {
  readonly host = new Host();
  readonly viewers: Viewer[] = [];
  /** Bridge to room and back. */
  readonly up: Uint8Array[] = [];
  readonly down: Uint8Array[] = [];
  complaint: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), "pp-flow-"));
  readonly #terminal: PoolTerminal;
  readonly #dialect: PtyDialect;
  readonly #home: Home;
  readonly #grant: string;
  readonly #peers = new Peers();
  readonly #channels = new Channels();
  readonly #link: Link;
  readonly #frames: LinkFrames;
  #lastPeer = 0;

  constructor() {
    const { host } = this;
    const terminal = {
      id: ID,
      handle: 1,
      epoch: EPOCH,
      cols: 80,
      rows: 24,
      meta: { cwd: "/", owner: "user", visible: true, createdAt: 0 },
      life: { state: "running" },
    } as unknown as PoolTerminal;
    this.#terminal = terminal;
    const pool = {
      get: (id: string) => (id === ID ? terminal : undefined),
      list: () => [],
      onEvent: () => {},
      input: () => {},
      resize: () => {},
      read: (_t: unknown, reader: Reader, from: number, credit: number) =>
        host.readers.read(reader, from, credit),
      credit: (_t: unknown, reader: Reader, offset: number) => host.readers.credit(reader, offset),
      unread: (_t: unknown, reader: Reader) => host.readers.unread(reader),
      fetch: <T>(
        _t: unknown,
        from: number,
        most: number,
        accept: (r: Retained) => T,
        to?: number,
      ) => host.fetch(from, most, accept, to),
    } as unknown as TerminalPool;
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
    };
    const words = () => ({
      output: outputWording(ID),
      exit: (exit: Parameters<typeof exitWords>[1]) => exitWords(ID, exit),
    });
    const log = createLog("silent", () => {});
    this.#home = { link: sender, channels: new ChannelTable(pool, sender, words, log) };
    this.#dialect = new PtyDialect(pool, grants, screens);
    this.#dialect.open(this.#home);
    const socket = fakeSocket((message) => {
      if (typeof message !== "string") this.down.push(message);
    });
    this.#link = new Link(socket, { instance: "0".repeat(32), epoch: 1 });
    this.#frames = new LinkFrames({
      peers: this.#peers,
      channels: this.#channels,
      tunnel: undefined as never,
      grants: undefined as never,
      onChannelsChanged: () => {},
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
      subscriptions: [],
    } as const;
    const peer = new Peer(socket, state, () => {
      this.complaint ??= "a viewer that reads was closed";
    });
    this.#peers.add(peer);
    const viewer = new Viewer(number, habit, (message) => this.#fromPeer(peer, message));
    this.viewers.push(viewer);
    this.#link.sendJson(FrameType.peerJoined, number, peer.describe());
    viewer.say({ type: "pty:attach", id: ID });
    return viewer;
  }

  leave(viewer: Viewer): void {
    const peer = this.#peers.numbered(viewer.number);
    if (peer === undefined) return;
    this.viewers.splice(this.viewers.indexOf(viewer), 1);
    this.#peers.remove(peer);
    this.#channels.forget(peer);
    this.#link.send(FrameType.peerLeft, viewer.number);
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
      const refusal = this.#frames.message(this.#link, Uint8Array.from(up).buffer);
      this.complaint ??= refusal?.reason;
    }
    const down = this.down.shift();
    if (down !== undefined) this.#toBridge(down);
    let took = false;
    for (const viewer of this.viewers) took = viewer.take() || took;
    return arrived !== undefined || up !== undefined || down !== undefined || took;
  }

  #fromPeer(peer: Peer, message: string | Uint8Array): void {
    const raw = typeof message === "string" ? message : Uint8Array.from(message).buffer;
    const said = readPeerMessage(true, raw);
    if (said.is === "refused") {
      this.complaint ??= said.refusal.reason;
      return;
    }
    if (said.is !== "acks") {
      this.#link.send(FrameType.peerMessage, peer.number, said.bytes);
      return;
    }
    if (said.proof !== undefined) peer.proves(said.proof);
    const forBridge = this.#channels.ownAcks(this.#link, peer, said.acks);
    if (forBridge.length === 0) return;
    const payload = decodeFrames(encodeAcks(peer.number, forBridge)).frames[0]?.payload;
    this.#link.send(FrameType.acks, peer.number, payload);
  }

  #toBridge(message: Uint8Array): void {
    for (const { type, stream, payload } of decodeFrames(message).frames) {
      if (type === FrameType.peerJoined) {
        const joined = { grant: this.#grant, joinedAt: 0, raw: true, subscriptions: [] };
        this.#dialect.joined(this.#home, stream, joined);
      }
      if (type === FrameType.peerLeft) this.#dialect.left(stream);
      if (type === FrameType.peerMessage) this.#dialect.message(stream, payload);
      if (type === FrameType.acks) this.#dialect.acks(stream, decodeAcks(payload) ?? []);
      if (type === FrameType.received) {
        const offset = decodeOffset(payload) ?? 0;
        this.#home.channels.byNumber(stream)?.channel.received(offset);
      }
      if (type === FrameType.skipped) {
        const skipped = parsePayload(Skipped, payload);
        if (skipped.ok) this.#dialect.skipped(this.#home, stream, skipped.value);
      }
      if (type === FrameType.drained) {
        const drained = parsePayload(Drained, payload);
        if (drained.ok) this.#dialect.drained(this.#home, stream, drained.value);
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

function fakeSocket(send: (message: string | Uint8Array) => void): Peer["socket"] {
  const copy = (message: string | Uint8Array) =>
    send(typeof message === "string" ? message : Uint8Array.from(message));
  const socket = { send: copy, setState: () => {}, close: () => {} };
  return socket as unknown as Peer["socket"];
}
