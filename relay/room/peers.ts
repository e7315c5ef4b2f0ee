// Owns the people in the room: their sockets, numbers and subscriptions, and keeping the latter in
// the sockets' attachments. Does not know what a channel carries.

import { MiB, PEER_HARD_CAP, PEER_TOTAL_CAP, SILENT_PEER_BYTES } from "../../protocol/limits.ts";
import type { PeerJoined } from "../../protocol/link.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import type { Socket, SocketState } from "./attachment.ts";
import type { Standing } from "./delivery.ts";
import { forgive } from "./delivery.ts";
import { trySend } from "./sockets.ts";

/** One peer on one channel. Plain fields: the fan-out reads and writes them for every message. */
export interface Subscription extends Standing {
  readonly peer: Peer;
  readonly channel: number;
  readonly attach: number;
  /** The bridge wants to hear its acks. */
  watched: boolean;
}

/** How often a silent peer's count is written for after a sleep: rare, and cheap for what it bounds. */
const SILENT_STEP = 1 * MiB;

type PeerState = Extract<SocketState, { kind: "peer" }>;

export class Peer {
  readonly socket: Socket;
  readonly number: number;
  readonly grant: string;
  readonly joinedAt: number;
  readonly raw: boolean;
  readonly subscriptions = new Map<number, Subscription>();
  #acks: boolean;
  #silent: number;

  constructor(socket: Socket, state: PeerState) {
    this.socket = socket;
    this.number = state.number;
    this.grant = state.grant;
    this.joinedAt = state.joinedAt;
    this.raw = state.raw;
    this.#acks = state.acks;
    this.#silent = state.silent;
  }

  /** How far it is behind means something. One that speaks the raw rendition must ack. */
  get isJudged(): boolean {
    return this.raw || this.#acks;
  }

  /** How far it may be behind on this channel. */
  capOn(channel: number): number {
    if (!this.isJudged) return Infinity;
    if (this.subscriptions.size * PEER_HARD_CAP <= PEER_TOTAL_CAP) return PEER_HARD_CAP;
    let rest = PEER_TOTAL_CAP;
    for (const other of this.subscriptions.values()) {
      if (other.channel !== channel) rest -= Math.max(0, other.sent - other.acked);
    }
    return Math.min(rest, PEER_HARD_CAP);
  }

  /** It acks. What it was sent before anybody expected that is not held against it. */
  judge(): void {
    if (this.isJudged) return;
    this.#acks = true;
    for (const subscription of this.subscriptions.values()) forgive(subscription);
    this.save();
  }

  /** It said something. */
  spoke(): void {
    this.#silent = 0;
  }

  /** Counts output that goes to it; false when it took too much of it without a word. */
  mayTake(bytes: number): boolean {
    if (this.raw) return true;
    const steps = Math.floor(this.#silent / SILENT_STEP);
    this.#silent += bytes;
    if (Math.floor(this.#silent / SILENT_STEP) > steps) this.save();
    return this.#silent <= SILENT_PEER_BYTES;
  }

  /** Where it stands, for after a sleep. Offsets go stale there, and are used as lower bounds. */
  save(): void {
    const subscriptions = Array.from(
      this.subscriptions.values(),
      ({ channel, attach, state, sent, acked }) => [channel, attach, state, sent, acked] as const,
    );
    for (const subscription of this.subscriptions.values()) {
      subscription.written = subscription.acked;
    }
    const { number, grant, joinedAt, raw } = this;
    const [acks, silent] = [this.#acks, this.#silent];
    this.socket.setState({
      kind: "peer",
      number,
      grant,
      joinedAt,
      raw,
      acks,
      silent,
      subscriptions,
    });
  }

  describe(): PeerJoined {
    const subscriptions = Array.from(this.subscriptions.values(), ({ channel, attach, state }) => ({
      channel,
      attach,
      skipped: state !== "live",
    }));
    const { grant, joinedAt, raw } = this;
    return { grant, joinedAt, raw, subscriptions };
  }
}

export class Peers {
  readonly #bySocket = new Map<WebSocket, Peer>();
  readonly #byNumber = new Map<number, Peer>();

  get size(): number {
    return this.#bySocket.size;
  }

  add(peer: Peer): void {
    this.#bySocket.set(peer.socket, peer);
    this.#byNumber.set(peer.number, peer);
  }

  remove(peer: Peer): void {
    this.#bySocket.delete(peer.socket);
    this.#byNumber.delete(peer.number);
  }

  of(socket: WebSocket): Peer | undefined {
    return this.#bySocket.get(socket);
  }

  numbered(number: number): Peer | undefined {
    return this.#byNumber.get(number);
  }

  all(): Peer[] {
    return [...this.#bySocket.values()];
  }

  /** How many came by this grant. */
  countOf(grant: string): number {
    let count = 0;
    for (const peer of this.#bySocket.values()) if (peer.grant === grant) count++;
    return count;
  }

  /** Bytes are for those who can read them. */
  tellAll(message: string | Uint8Array): void {
    for (const peer of this.#bySocket.values()) {
      if (typeof message === "string" || peer.raw) trySend(peer.socket, message);
    }
  }
}

/** The one message that peers get from the room itself. */
export function bridgeState(isHere: boolean, since: number | undefined): string {
  const away = since === undefined ? {} : { since };
  const state: BridgeState = isHere
    ? { type: "bridge", state: "here" }
    : { type: "bridge", state: "away", ...away };
  return JSON.stringify(state);
}
