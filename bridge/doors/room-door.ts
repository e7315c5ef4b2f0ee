// Owns the door for people: the relay's room, or a room on this machine. Creates a caller for each
// peer that the room reports, and finds them again after a reconnect.

import { CloseCode, LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import { FLAG_BINARY, FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { ChannelState, PeerClose, PeerJoined } from "../../protocol/link.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import type { Caller, CloseReason, Door, CallerStatus } from "../callers/caller.ts";
import { applyLimit } from "../callers/permissions.ts";
import type { GrantSource, Hub } from "../callers/hub.ts";
import { sendToPeer, sendToPeers } from "../channels/peer-messages.ts";
import { logErrors } from "../faults.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import type { ByteCaller, SealedCaller } from "../sealed/sealed-caller.ts";
import type { PeerRoom } from "../viewers/peer-table.ts";
import type { PreviousAttachments } from "../viewers/viewer-recovery.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { CLOSE_CODES } from "./close-codes.ts";

export interface RoomDoorDeps {
  readonly name: "people" | "terminal";
  readonly home: PeerRoom;
  readonly hub: Pick<Hub, "announce" | "handleMessage" | "isOpen" | "isWaiting" | "open">;
  readonly viewers: Pick<Viewers, "add" | "close" | "get" | "open" | "recovery" | "removePeer">;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly log: Pick<Log, "error">;
  /** Whether this bridge continues the run of one that died. */
  readonly isTakeover?: boolean;
  /** Wraps the caller of a sealed link; absent in a plain room. */
  readonly seal?: ((caller: ByteCaller) => SealedCaller) | undefined;
  /** Fires when a handshake has opened a caller, which `onJoined` left waiting. */
  readonly onHandshake?: ((caller: Caller) => void) | undefined;
}

/** A caller that is a peer of a room. */
class RoomCaller implements ByteCaller {
  readonly door: RoomDoor;
  readonly number: number;
  readonly since: number;
  readonly grantId: string;
  /** As the room sent it last: the bridge verifies it again whenever the link comes back. */
  ticket: string | undefined;
  readonly wasAdmitted: boolean;
  readonly predatesBridge: boolean;
  status: CallerStatus | undefined;
  readonly #deps: RoomDoorDeps;
  #isClosed = false;

  constructor(
    door: RoomDoor,
    number: number,
    { grant, ticket, joinedAt, subscriptions }: PeerJoined,
    { wasThere, isFirstList }: { readonly wasThere: boolean; readonly isFirstList: boolean },
    deps: RoomDoorDeps,
  ) {
    this.predatesBridge = wasThere;
    this.door = door;
    this.number = number;
    this.since = joinedAt;
    this.grantId = grant;
    this.ticket = ticket;
    // Only a bridge subscribes peers to channels, so the one that this bridge takes over from had let
    // this peer in. Later this bridge knows whom it subscribed, and believes no other list.
    const isKnown = wasThere && isFirstList && deps.isTakeover === true;
    this.wasAdmitted = isKnown && subscriptions.length > 0;
    this.#deps = deps;
  }

  grant(): Grant | undefined {
    const grant = this.#isClosed ? undefined : this.#deps.grants.lookUp(this.grantId);
    return grant === undefined ? undefined : applyLimit(grant, this.status);
  }

  send(message: string): void {
    sendToPeer({ home: this.#deps.home, number: this.number }, message);
  }

  sendBytes(bytes: Bytes): void {
    this.#deps.home.link.send(FrameType.peerSend, this.number, bytes, FLAG_BINARY);
  }

  close({ why, message }: CloseReason): void {
    const close: PeerClose = { code: CLOSE_CODES[why], reason: message };
    this.#deps.home.link.send(FrameType.peerClose, this.number, toPayload(close));
    this.door.onClosed(this, why);
    // Work that still runs for this caller must not finish as if it were connected.
    this.#isClosed = true;
  }
}

/** Reasons after which the caller may no longer see what it saw. */
const ENDS_SIGHT: ReadonlySet<CloseReason["why"]> = new Set([
  "revoked",
  "expired",
  "sent away",
  "knocks",
]);

interface KnownPeer {
  readonly caller: RoomCaller;
  /** The caller as the hub and viewers know it: `caller`, or a sealed one around it. */
  readonly member: Caller;
  readonly sealed: SealedCaller | undefined;
  leave: () => void;
  /** Closed by the bridge. It counts as gone at once, whether or not the room closes it. */
  isClosed: boolean;
}

export class RoomDoor implements Door {
  readonly name: RoomDoorDeps["name"];
  readonly proof: Door["proof"];
  readonly #deps: RoomDoorDeps;
  readonly #peers = new Map<number, KnownPeer>();
  /** Whether the room has listed its peers to this bridge. */
  #hasReconciled = false;

  constructor(deps: RoomDoorDeps) {
    this.name = deps.name;
    this.proof = deps.name === "people" ? "ticket" : "socket";
    this.#deps = deps;
    deps.viewers.open(deps.home);
  }

  /** Removes all callers: the room is closed. */
  close(): void {
    for (const number of this.#peers.keys()) this.onLeft(number);
    this.#deps.viewers.close(this.#deps.home);
  }

  /** Adds a peer. One that is here already is verified again, and keeps its place. */
  onJoined(number: number, joined: PeerJoined): Caller {
    const known = this.#peers.get(number);
    if (known === undefined || known.isClosed) return this.#addPeer(number, joined, new Map());
    this.#openAgain(known, joined);
    return known.member;
  }

  onLeft(number: number): Caller | undefined {
    const known = this.#peers.get(number);
    if (known === undefined) return undefined;
    this.#peers.delete(number);
    if (!known.isClosed) this.#remove(known);
    return known.member;
  }

  /** Removes a caller that the bridge closed: a room that keeps it must not keep it in. */
  onClosed({ number }: RoomCaller, why: CloseReason["why"]): void {
    const known = this.#peers.get(number);
    if (known === undefined || known.isClosed) return;
    known.isClosed = true;
    this.#remove(known);
    if (ENDS_SIGHT.has(why)) this.#deps.home.channels.rekeyFor(known.caller.grantId);
  }

  #remove({ caller, sealed, leave }: KnownPeer): void {
    try {
      sealed?.reset();
      this.#deps.viewers.removePeer(caller.number);
    } finally {
      leave();
    }
  }

  /** Handles a message; `isLate` if it waited too long to be run. */
  onMessage(number: number, payload: Uint8Array, isLate = false): void {
    const known = this.#peers.get(number);
    if (known === undefined || known.isClosed) return;
    const { sealed, member } = known;
    if (sealed === undefined) this.#deps.hub.handleMessage(member, payload, isLate);
    else this.#onSealedMessage(sealed, payload, isLate);
  }

  #onSealedMessage(sealed: SealedCaller, payload: Uint8Array, isLate: boolean): void {
    const { hub, onHandshake } = this.#deps;
    const hadSession = sealed.isOpen;
    // In the clear, only the gate may read it.
    if (!hadSession && !hub.isWaiting(sealed)) return;
    const opened = sealed.receive(payload);
    if (opened === undefined) return;
    hub.handleMessage(sealed, opened, isLate);
    if (!hadSession && sealed.isOpen && hub.isOpen(sealed)) onHandshake?.(sealed);
  }

  /**
   * Greets all peers again, as after a cut: the room dropped their messages for a while and
   * reported this bridge as away. Each peer reports its position again, though it never lost it.
   */
  greetAgain(): void {
    this.#deps.viewers.recovery.noteReturn(this.#deps.home);
    const greet = logErrors(this.#deps.log, "greeting a peer again", (caller: Caller) =>
      this.#deps.hub.announce(caller),
    );
    for (const { member, isClosed } of this.#peers.values()) if (!isClosed) greet(member);
  }

  /**
   * Reconciles peers and channels with the room after a reconnect. People come before channels, so
   * that a channel that lost its place finds those who need a new start.
   */
  reconcile(
    joined: ReadonlyMap<number, PeerJoined>,
    states: ReadonlyMap<number, ChannelState>,
  ): void {
    const { viewers, home } = this.#deps;
    const before = viewers.recovery.takePreviousPeers(home);
    // A fault with one peer must not affect the others.
    const arrive = logErrors(this.#deps.log, "a peer that is back", (number: number) => {
      const peer = joined.get(number);
      if (peer !== undefined) this.#addPeer(number, peer, states, { before: before.get(number) });
    });
    for (const number of joined.keys()) arrive(number);
    this.#hasReconciled = true;
    // A peer that was refused now is as gone as one that the room does not list.
    const missing = [...before].filter(([number]) => viewers.get(number) === undefined);
    viewers.recovery.reconcile(home, new Map(missing), states);
    for (const [number, { sealed, leave, isClosed }] of this.#peers) {
      if (joined.has(number)) continue;
      this.#peers.delete(number);
      sealed?.reset();
      if (!isClosed) leave();
    }
  }

  sendAll(callers: readonly Caller[], message: string): void {
    const peers = callers.filter((caller) => caller instanceof RoomCaller);
    sendToPeers(this.#deps.home, peers, message);
    for (const { sealed } of callers) sealed?.send(message);
  }

  /** Adds a peer; dialects greet it before it gets any output. */
  #addPeer(
    number: number,
    joined: PeerJoined,
    states: ReadonlyMap<number, ChannelState>,
    /** Set for a peer that was in the room while this bridge was not connected. */
    back?: { readonly before: PreviousAttachments | undefined },
  ): Caller {
    const { hub, viewers, home } = this.#deps;
    const known = this.#peers.get(number);
    if (known?.isClosed === true) return this.#closeAgain(known);
    const wasThere = back !== undefined;
    const arrival = { wasThere, isFirstList: !this.#hasReconciled };
    const before = back?.before;
    const peer =
      known ?? this.#createPeer(new RoomCaller(this, number, joined, arrival, this.#deps));
    const { member: caller, sealed } = peer;
    const arriving = { number, caller, joined, states, before };
    const viewer = viewers.add(home, arriving);
    if (known === undefined) this.#open(peer);
    else this.#openAgain(peer, joined);
    // A caller that waits has no place yet, whatever the room claims. A sealed one keeps the place that
    // this bridge gave it while it shakes hands again: its channels go on under the keys that it has.
    const keepsPlace = sealed !== undefined && before !== undefined && hub.isWaiting(caller);
    if (hub.isOpen(caller) || keepsPlace) viewers.recovery.settle(viewer, arriving);
    return caller;
  }

  #createPeer(caller: RoomCaller): KnownPeer {
    const isSealed = this.#deps.grants.lookUp(caller.grantId)?.psk !== undefined;
    const sealed = isSealed ? this.#deps.seal?.(caller) : undefined;
    return { caller, sealed, member: sealed ?? caller, leave: () => undefined, isClosed: false };
  }

  #open(peer: KnownPeer): void {
    // Registered first: a gate may close the caller before `open` returns.
    this.#peers.set(peer.caller.number, peer);
    peer.leave = this.#deps.hub.open(peer.member);
    if (!peer.isClosed) return;
    peer.leave();
    this.#peers.delete(peer.caller.number);
  }

  /** Verifies a peer again after a reconnect. */
  #openAgain({ caller, member }: KnownPeer, { grant, ticket }: PeerJoined): void {
    // A room that names another grant for the same peer proves nothing.
    caller.ticket = grant === caller.grantId ? ticket : "";
    this.#deps.hub.announce(member);
  }

  #closeAgain({ caller, member }: KnownPeer): Caller {
    const close: PeerClose = { code: CloseCode.unauthorized, reason: LINK_ENDED_REASONS.ended };
    this.#deps.home.link.send(FrameType.peerClose, caller.number, toPayload(close));
    return member;
  }
}
