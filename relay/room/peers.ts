// Owns the peers in the room: their sockets, numbers and subscriptions, and saving the latter in
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
import { PieceCollector } from "../../protocol/link.ts";
import type { BridgeState, Ping } from "../../protocol/pty.ts";
import { RateLimiter } from "../rate-limiter.ts";
import type { AwayFacts } from "./farewell.ts";
import type { Socket, SocketState } from "./socket-state.ts";
import type { DeliveryProgress } from "./delivery.ts";
import { assumeAcked } from "./delivery.ts";
import { ReadProof } from "./read-proof.ts";
import { trySend } from "./sockets.ts";

/** One peer on one channel. Plain fields: the fan-out reads and writes them for every message. */
export interface Subscription extends DeliveryProgress {
  readonly peer: Peer;
  readonly channel: number;
  readonly attach: number;
  /** The bridge wants this peer's acks. */
  watched: boolean;
}

type PeerState = Extract<SocketState, { kind: "peer" }>;

export class Peer {
  readonly socket: Socket;
  readonly number: number;
  readonly grant: string;
  readonly ticket: string | undefined;
  readonly joinedAt: number;
  readonly raw: boolean;
  /** Coding agents speak JSON-RPC, so the room sends them no messages of its own. */
  readonly isAgent: boolean;
  /** Collects the pieces of a long message to an agent. */
  readonly pieces = new PieceCollector(MAX_MESSAGE_TO_AGENT);
  readonly subscriptions = new Map<number, Subscription>();
  readonly rate = new RateLimiter(PEER_RATE, Date.now());
  readonly #onUnread: (peer: Peer) => void;
  readonly #proof: ReadProof;
  #acks: boolean;
  #hasSpoken: boolean;

  /** Takes `onUnread`, called when too much was sent without proof that the client reads. */
  constructor(socket: Socket, state: PeerState, onUnread: (peer: Peer) => void) {
    this.socket = socket;
    this.#onUnread = onUnread;
    this.#proof = new ReadProof(state.proof);
    this.number = state.number;
    this.grant = state.grant;
    this.ticket = state.ticket;
    this.joinedAt = state.joinedAt;
    this.raw = state.raw;
    this.isAgent = state.isAgent === true;
    this.#acks = state.acks;
    this.#hasSpoken = state.heard;
  }

  /** Whether the peer's lag can be measured. Peers of the raw rendition must ack. */
  get isLagMeasured(): boolean {
    return this.raw || this.#acks;
  }

  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** Whether the runtime may hold much unread data for the peer. */
  get hasMuchUnread(): boolean {
    return this.#proof.isLarge;
  }

  /** Records that the peer has sent a message. */
  recordMessage(): void {
    if (this.#hasSpoken) return;
    this.#hasSpoken = true;
    this.save();
  }

  /** Returns the lag that the peer may have on this channel. */
  getLagCap(channel: number): number {
    if (!this.isLagMeasured) return Infinity;
    if (this.subscriptions.size * PEER_HARD_CAP <= PEER_TOTAL_CAP) return PEER_HARD_CAP;
    let rest = PEER_TOTAL_CAP;
    for (const other of this.subscriptions.values()) {
      if (other.channel !== channel) rest -= Math.max(0, other.sent - other.acked);
    }
    return Math.min(rest, PEER_HARD_CAP);
  }

  /** Starts to measure the lag of a peer that now acks; earlier output counts as acked. */
  startMeasuringLag(): void {
    if (this.isLagMeasured) return;
    this.#acks = true;
    for (const subscription of this.subscriptions.values()) assumeAcked(subscription);
    this.save();
  }

  /** Sends a message, and counts its bytes until the peer proves that it reads. */
  send(message: string | Uint8Array, bytes: number): void {
    trySend(this.socket, message);
    const due = this.#proof.recordSent(bytes);
    if (due === undefined) return undefined;
    if (due === "over") return this.#onUnread(this);
    // A raw peer is saved with its acks, and skipped without them.
    if (due === "write" && this.raw) return undefined;
    this.save();
    // An agent's answer would not be a message to the room; the bridge asks it instead [AC54].
    return due === "ask" && !this.isAgent ? this.#ping() : undefined;
  }

  /** Returns whether `n` answers the pending ping. */
  acceptProof(n: number): boolean {
    if (!this.#proof.accept(n)) return false;
    this.save();
    return true;
  }

  /** Whether a ping is pending. */
  get isPinged(): boolean {
    return this.#proof.awaited !== undefined;
  }

  trust(): void {
    this.#proof.trust();
    this.save();
  }

  #ping(): void {
    const n = this.#proof.awaited ?? 0;
    if (this.raw) trySend(this.socket, encodeFrame(FrameType.proof, 0, encodeOffset(n)));
    else trySend(this.socket, JSON.stringify({ type: "pairpty:ping", n } satisfies Ping));
  }

  /** Saves the state for after hibernation, where its offsets serve as lower bounds. */
  save(): void {
    const subscriptions = Array.from(
      this.subscriptions.values(),
      ({ channel, attach, state, sent, acked }) => [channel, attach, state, sent, acked] as const,
    );
    for (const subscription of this.subscriptions.values()) {
      subscription.written = subscription.acked;
    }
    const { number, grant, ticket, joinedAt, raw, isAgent } = this;
    const [acks, proof, heard] = [this.#acks, this.#proof.state, this.#hasSpoken];
    this.socket.setState({
      kind: "peer",
      number,
      grant,
      ticket,
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
    const { grant, ticket, joinedAt, raw, isAgent } = this;
    return { grant, ticket, joinedAt, raw, ...(isAgent ? { door: "acp" } : {}), subscriptions };
  }
}

export class Peers {
  readonly #bySocket = new Map<WebSocket, Peer>();
  readonly #byNumber = new Map<number, Peer>();
  /** Sockets that the room closed while unread data was held for them, with their grants. */
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

  findBySocket(socket: WebSocket): Peer | undefined {
    return this.#bySocket.get(socket);
  }

  findByNumber(number: number): Peer | undefined {
    return this.#byNumber.get(number);
  }

  all(): Peer[] {
    return [...this.#bySocket.values()];
  }

  /** Counts sockets with this grant, including closed ones that are not gone yet. */
  countByGrant(grant: string): number {
    let count = 0;
    for (const peer of this.#bySocket.values()) if (peer.grant === grant) count++;
    for (const other of this.#leaving.values()) if (other === grant) count++;
    return count;
  }

  /** Records a closed socket with unread data: it counts for its grant until it is gone. */
  addLeaving(socket: WebSocket, grant: string): void {
    this.#leaving.set(socket, grant);
  }

  removeLeaving(socket: WebSocket): void {
    this.#leaving.delete(socket);
  }

  /** Sends to all people; bytes only to those with the raw rendition. Agents get no broadcasts. */
  broadcast(message: string | Uint8Array): void {
    for (const peer of this.#bySocket.values()) {
      if (peer.isAgent) continue;
      if (typeof message === "string" || peer.raw) peer.send(message, message.length);
    }
  }
}

/** Encodes the only message that peers get from the room itself. */
export function encodeBridgeState(away: AwayState | undefined): string {
  const state: BridgeState =
    away === undefined
      ? { type: "bridge", state: "here" }
      : { type: "bridge", state: "away", ...away };
  return JSON.stringify(state);
}

/** Since when the bridge is away, if known, and why. */
export type AwayState = AwayFacts & Pick<BridgeState, "since">;
