// Owns the connections of people and agents from open to close: their messages on the way to the
// link, and the reasons for which the room closes them. Who may connect is in admission.ts, output
// to peers in channels.ts. Everything here is synchronous, as the rest of the way from a message to
// its sends.

import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  AGENT_BYTES_PER_RATE_UNIT,
  MAX_FRAME_PAYLOAD,
  PEER_MESSAGES_PER_SECOND,
} from "../../protocol/limits.ts";
import { cutIntoPieces, encodeStamped, STAMP_BYTES } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import { encodeAckList } from "../../protocol/output.ts";
import type { RoomRequestInfo } from "../edge/room-request.ts";
import type { Admission } from "./admission.ts";
import { BRIDGE_SILENT_MESSAGE } from "./admission.ts";
import type { BridgePresence } from "./bridge-presence.ts";
import type { Channels } from "./channels.ts";
import type { GrantList } from "./grants.ts";
import { isInactive } from "./inactive-peers.ts";
import { readAgentMessage, readPeerMessage } from "./peer-messages.ts";
import type { Peers } from "./peers.ts";
import { Peer } from "./peers.ts";
import { NOTHING_SENT } from "./read-proof.ts";
import type { Socket, SocketState } from "./socket-state.ts";
import { closeAndRecord, trySend } from "./sockets.ts";

/** Short enough for a close frame. */
const UNREAD_MESSAGE =
  "16 MiB were sent without proof that you read them: answer pairpty:ping (raw: proof).";
const INACTIVE_MESSAGE = "The room is full, and you sent nothing for a minute, not even a ping.";
const LINK_LOST_MESSAGE = "This workspace's bridge lost its connection: connect again.";
const TOO_FAST_MESSAGE = `More than ${PEER_MESSAGES_PER_SECOND} messages a second: send fewer, or larger ones.`;

export interface PeerConnectionsDeps {
  readonly peers: Pick<Peers, "add" | "addLeaving" | "all" | "remove">;
  readonly channels: Pick<Channels, "applyRawAcks" | "forget" | "restoreSubscription">;
  readonly grants: Pick<GrantList, "canType" | "formatEndReason" | "opens">;
  readonly bridge: Pick<
    BridgePresence,
    "check" | "encodeState" | "link" | "recordForwarded" | "silentSince"
  >;
  /** Returns the number of the next peer. */
  readonly nextNumber: () => number;
  /** Returns Unix ms of the last `ping` on a socket, which the runtime answers. */
  readonly getPingedAt: (socket: WebSocket) => number | undefined;
  /** Fires when a peer was added: the bridge is now watched. */
  readonly updateAlarm: () => void;
}

export class PeerConnections {
  readonly #deps: PeerConnectionsDeps;
  readonly #onUnread = (peer: Peer) => this.close(peer, CloseCode.tryLater, UNREAD_MESSAGE);

  constructor(deps: PeerConnectionsDeps) {
    this.#deps = deps;
  }

  /** Restores a peer and its subscriptions after hibernation. */
  resume(socket: Socket, state: Extract<SocketState, { kind: "peer" }>): void {
    const peer = new Peer(socket, state, this.#onUnread);
    this.#deps.peers.add(peer);
    for (const entry of state.subscriptions) this.#deps.channels.restoreSubscription(peer, entry);
  }

  /** Adds an admitted peer: sends it the bridge's state, and announces it to the bridge. */
  open(socket: Socket, admission: Extract<Admission, { ok: true }>, info: RoomRequestInfo): void {
    const { peers, bridge } = this.#deps;
    const state = {
      kind: "peer",
      number: this.#deps.nextNumber(),
      grant: admission.grant,
      ticket: admission.ticket,
      joinedAt: Date.now(),
      raw: info.raw === true,
      ...(info.door === "acp" ? { isAgent: true } : {}),
      acks: false,
      proof: NOTHING_SENT,
      heard: false,
      subscriptions: [],
    } as const;
    const peer = new Peer(socket, state, this.#onUnread);
    peer.save();
    peers.add(peer);
    bridge.check();
    this.#deps.updateAlarm();
    if (!peer.isAgent) trySend(socket, bridge.encodeState());
    bridge.link?.sendJson(FrameType.peerJoined, peer.number, peer.describe());
  }

  onMessage(peer: Peer, message: string | ArrayBuffer): void {
    const { bridge, grants } = this.#deps;
    const now = Date.now();
    if (!peer.rate.tryTake(now)) {
      return this.close(peer, CloseCode.tooFast, TOO_FAST_MESSAGE);
    }
    peer.recordMessage();
    bridge.check();
    if (peer.isAgent) return this.#onAgentMessage(peer, message);
    const parsed = readPeerMessage(peer.raw, message);
    if (parsed.is === "refused") {
      return this.close(peer, parsed.refusal.code, parsed.refusal.reason);
    }
    const isProof = parsed.proof !== undefined && peer.acceptProof(parsed.proof);
    if (parsed.is === "acks") return this.#onAcks(peer, parsed.acks);
    if (isProof) return undefined;
    // Plain clients need not know pings, and a client that may type has easier ways to do harm.
    if (!peer.raw && peer.isPinged && grants.canType(peer.grant)) peer.trust();
    // Not kept for later: a keystroke from a minute ago must not run now. While a nudge is pending
    // it is sent: its timestamp tells the bridge how old it is.
    const { link } = bridge;
    if (link === undefined || bridge.silentSince !== undefined) {
      trySend(peer.socket, bridge.encodeState());
    } else {
      link.send(FrameType.peerMessage, peer.number, encodeStamped(now, parsed.bytes));
      bridge.recordForwarded(now);
    }
    return undefined;
  }

  /**
   * Handles an agent's message. It shows the room only that the agent is alive; the bridge checks
   * that it reads [AC54].
   */
  #onAgentMessage(peer: Peer, message: string | ArrayBuffer): void {
    const parsed = readAgentMessage(message);
    if (parsed.is === "refused") {
      return this.close(peer, parsed.refusal.code, parsed.refusal.reason);
    }
    if (parsed.is !== "text") return undefined;
    peer.rate.charge(parsed.bytes.length / AGENT_BYTES_PER_RATE_UNIT);
    if (peer.hasMuchUnread) peer.trust();
    const { link, silentSince } = this.#deps.bridge;
    // A dropped request would wait forever.
    if (silentSince !== undefined) {
      return this.close(peer, CloseCode.tryLater, BRIDGE_SILENT_MESSAGE);
    }
    const now = Date.now();
    return link?.batch(() => {
      for (const { flags, payload } of cutIntoPieces(
        parsed.bytes,
        MAX_FRAME_PAYLOAD - STAMP_BYTES,
      )) {
        link.send(FrameType.peerMessage, peer.number, encodeStamped(now, payload), flags);
      }
    });
  }

  #onAcks(peer: Peer, acks: readonly ChannelAck[]): void {
    const { link } = this.#deps.bridge;
    const forBridge = this.#deps.channels.applyRawAcks(link, peer, acks);
    if (forBridge.length > 0) link?.send(FrameType.acks, peer.number, encodeAckList(forBridge));
  }

  close(peer: Peer, code: number, reason: string): void {
    this.onLeft(peer);
    if (!peer.hasMuchUnread) return closeAndRecord(peer.socket, code, reason);
    this.#deps.peers.addLeaving(peer.socket, peer.grant);
    return closeAndRecord(peer.socket, code, reason, peer.grant);
  }

  /** Removes a peer whose socket is closed or about to be. */
  onLeft(peer: Peer): void {
    this.#deps.peers.remove(peer);
    this.#deps.channels.forget(peer);
    this.#deps.bridge.link?.send(FrameType.peerLeft, peer.number);
  }

  /** Closes agents' sockets: messages under way were lost with the link. */
  closeAgents(): void {
    for (const peer of this.#deps.peers.all()) {
      if (peer.isAgent) this.close(peer, CloseCode.tryLater, LINK_LOST_MESSAGE);
    }
  }

  /** Closes everyone whose grant ended. */
  closeUngranted(): void {
    const { peers, grants } = this.#deps;
    for (const peer of peers.all()) {
      if (grants.opens(peer.grant, peer.isAgent ? "acp" : "people")) continue;
      this.close(peer, CloseCode.unauthorized, grants.formatEndReason(peer.grant));
    }
  }

  /** Closes peers that never sent anything, not even a ping. Returns whether there were any. */
  evictInactive(): boolean {
    const now = Date.now();
    const inactive = this.#deps.peers
      .all()
      .filter((peer) => isInactive(peer, this.#deps.getPingedAt(peer.socket), now));
    for (const peer of inactive) this.close(peer, CloseCode.tryLater, INACTIVE_MESSAGE);
    return inactive.length > 0;
  }
}
