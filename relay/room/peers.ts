// Owns the people in the room: their sockets, numbers and subscriptions, and keeping the latter in
// the sockets' attachments. Does not know what a channel carries.

import type { PeerJoined } from "../../protocol/link.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import type { Socket, SocketState } from "./attachment.ts";
import { trySend } from "./sockets.ts";

/** One peer on one channel. Plain fields: the fan-out reads and writes them for every message. */
export interface Subscription {
  readonly peer: Peer;
  readonly channel: number;
  readonly attach: number;
  /** Everything before it has been sent, or was never wanted. */
  sent: number;
  /** Everything before it is rendered; undefined until that is known. */
  acked: number | undefined;
  skipped: boolean;
}

type PeerState = Extract<SocketState, { kind: "peer" }>;

export class Peer {
  readonly socket: Socket;
  readonly number: number;
  readonly grant: string;
  readonly joinedAt: number;
  readonly subscriptions = new Map<number, Subscription>();
  acks: boolean;

  constructor(socket: Socket, state: PeerState) {
    this.socket = socket;
    this.number = state.number;
    this.grant = state.grant;
    this.joinedAt = state.joinedAt;
    this.acks = state.acks;
  }

  /** Where it stands, for after a sleep. Offsets go stale there, and are used as lower bounds. */
  save(): void {
    const subscriptions = Array.from(
      this.subscriptions.values(),
      ({ channel, attach, skipped, sent }) => [channel, attach, skipped, sent] as const,
    );
    const { number, grant, joinedAt, acks } = this;
    this.socket.setState({ kind: "peer", number, grant, joinedAt, acks, subscriptions });
  }

  describe(): PeerJoined {
    const subscriptions = Array.from(
      this.subscriptions.values(),
      ({ channel, attach, skipped }) => ({ channel, attach, skipped }),
    );
    return { grant: this.grant, joinedAt: this.joinedAt, subscriptions };
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

  tellAll(text: string): void {
    for (const socket of this.#bySocket.keys()) trySend(socket, text);
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
