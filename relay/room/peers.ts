// Owns the people in the room: their sockets, numbers and subscriptions, and keeping the latter in
// the sockets' attachments. Does not know what a channel carries.

import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  MAX_MESSAGE_TO_AGENT,
  PEER_HARD_CAP,
  PEER_RATE,
  PEER_TOTAL_CAP,
} from "../../protocol/limits.ts";
import type { PeerJoined } from "../../protocol/link.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { Pieces } from "../../protocol/pieces.ts";
import type { BridgeState, Ping } from "../../protocol/pty.ts";
import { Rate } from "../rate.ts";
import type { AwayFacts } from "./farewell.ts";
import type { Socket, SocketState } from "./attachment.ts";
import type { Standing } from "./delivery.ts";
import { forgive } from "./delivery.ts";
import { Proof } from "./proof.ts";
import { trySend } from "./sockets.ts";

/** One peer on one channel. Plain fields: the fan-out reads and writes them for every message. */
export interface Subscription extends Standing {
  readonly peer: Peer;
  readonly channel: number;
  readonly attach: number;
  /** The bridge wants to hear its acks. */
  watched: boolean;
}

type PeerState = Extract<SocketState, { kind: "peer" }>;

export class Peer {
  readonly socket: Socket;
  readonly number: number;
  readonly grant: string;
  readonly joinedAt: number;
  readonly raw: boolean;
  /** It speaks JSON-RPC: nothing of the room's own is said to it. */
  readonly isAgent: boolean;
  /** Of a long message to an agent. */
  readonly pieces = new Pieces(MAX_MESSAGE_TO_AGENT);
  readonly subscriptions = new Map<number, Subscription>();
  readonly rate = new Rate(PEER_RATE, Date.now());
  readonly #onUnread: (peer: Peer) => void;
  readonly #proof: Proof;
  #acks: boolean;
  #heard: boolean;

  /** `onUnread`: it was sent too much without having shown that it reads. */
  constructor(socket: Socket, state: PeerState, onUnread: (peer: Peer) => void) {
    this.socket = socket;
    this.#onUnread = onUnread;
    this.#proof = new Proof(state.proof);
    this.number = state.number;
    this.grant = state.grant;
    this.joinedAt = state.joinedAt;
    this.raw = state.raw;
    this.isAgent = state.isAgent === true;
    this.#acks = state.acks;
    this.#heard = state.heard;
  }

  /** How far it is behind means something. One that speaks the raw rendition must ack. */
  get isJudged(): boolean {
    return this.raw || this.#acks;
  }

  get isHeard(): boolean {
    return this.#heard;
  }

  /** The runtime may keep a lot for it that nobody reads. */
  get holdsMuch(): boolean {
    return this.#proof.isMuch;
  }

  /** It said something. */
  hear(): void {
    if (this.#heard) return;
    this.#heard = true;
    this.save();
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

  /** Everything that goes to it goes this way, and is counted until it has shown that it reads. */
  send(message: string | Uint8Array, bytes: number): void {
    trySend(this.socket, message);
    const due = this.#proof.sent(bytes);
    if (due === undefined) return undefined;
    if (due === "over") return this.#onUnread(this);
    // A raw peer is written with its acks, and skipped without them.
    if (due === "write" && this.raw) return undefined;
    this.save();
    // Its own answers would be no messages of ours; the bridge asks it [AC54].
    return due === "ask" && !this.isAgent ? this.#ask() : undefined;
  }

  /** Whether that is the answer to what it was asked. */
  proves(n: number): boolean {
    if (!this.#proof.answered(n)) return false;
    this.save();
    return true;
  }

  /** It has been asked, and has not answered. */
  get isAsked(): boolean {
    return this.#proof.awaited !== undefined;
  }

  trust(): void {
    this.#proof.trust();
    this.save();
  }

  #ask(): void {
    const n = this.#proof.awaited ?? 0;
    if (this.raw) trySend(this.socket, encodeFrame(FrameType.proof, 0, encodeOffset(n)));
    else trySend(this.socket, JSON.stringify({ type: "pairpty:ping", n } satisfies Ping));
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
    const { number, grant, joinedAt, raw, isAgent } = this;
    const [acks, proof, heard] = [this.#acks, this.#proof.state, this.#heard];
    this.socket.setState({
      kind: "peer",
      number,
      grant,
      joinedAt,
      raw,
      ...(isAgent ? { isAgent } : {}),
      acks,
      proof,
      heard,
      subscriptions,
    });
  }

  describe(): PeerJoined {
    const subscriptions = Array.from(this.subscriptions.values(), ({ channel, attach, state }) => ({
      channel,
      attach,
      skipped: state !== "live",
    }));
    const { grant, joinedAt, raw, isAgent } = this;
    return { grant, joinedAt, raw, ...(isAgent ? { door: "acp" } : {}), subscriptions };
  }
}

export class Peers {
  readonly #bySocket = new Map<WebSocket, Peer>();
  readonly #byNumber = new Map<number, Peer>();
  /** Closed by us and not gone, with what they did not read, by grant. */
  readonly #leaving = new Map<WebSocket, string>();

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

  /** How many came by this grant and are not gone yet. */
  countOf(grant: string): number {
    let count = 0;
    for (const peer of this.#bySocket.values()) if (peer.grant === grant) count++;
    for (const other of this.#leaving.values()) if (other === grant) count++;
    return count;
  }

  /** Its end has been sent, behind all that it did not read: until it is gone it has its place. */
  leaves(socket: WebSocket, grant: string): void {
    this.#leaving.set(socket, grant);
  }

  left(socket: WebSocket): void {
    this.#leaving.delete(socket);
  }

  /** Bytes are for those who can read them; agents are told nothing that is said to all. */
  tellAll(message: string | Uint8Array): void {
    for (const peer of this.#bySocket.values()) {
      if (peer.isAgent) continue;
      if (typeof message === "string" || peer.raw) peer.send(message, message.length);
    }
  }
}

/** The one message that peers get from the room itself. */
export function bridgeState(away: AwayTold | undefined): string {
  const state: BridgeState =
    away === undefined
      ? { type: "bridge", state: "here" }
      : { type: "bridge", state: "away", ...away };
  return JSON.stringify(state);
}

/** Since when, if that is known, and why. */
export type AwayTold = AwayFacts & Pick<BridgeState, "since">;
