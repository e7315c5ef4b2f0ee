// Owns the door for people: the relay's room, or a room on this machine. Creates a caller for each
// peer that the room reports, and finds them again after a reconnect.

import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { ChannelState, PeerClose, PeerJoined } from "../../protocol/link.ts";
import type { Caller, CloseReason, Door, CallerStatus } from "../callers/caller.ts";
import { applyLimit } from "../callers/caller.ts";
import type { GrantSource, Hub } from "../callers/hub.ts";
import { sendToPeer, sendToPeers } from "../channels/peer-messages.ts";
import { logErrors } from "../faults.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import type { PeerRoom } from "../viewers/peer-table.ts";
import type { PreviousAttachments, Viewers } from "../viewers/viewers.ts";

export interface RoomDoorDeps {
  readonly name: "people" | "terminal";
  readonly home: PeerRoom;
  readonly hub: Pick<Hub, "announce" | "handleMessage" | "open">;
  readonly viewers: Pick<
    Viewers,
    | "add"
    | "takePreviousPeers"
    | "close"
    | "removePeer"
    | "open"
    | "reconcile"
    | "noteReturn"
    | "settle"
  >;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly log: Pick<Log, "error">;
}

const CLOSE_CODES: Readonly<Record<CloseReason["why"], number>> = {
  revoked: CloseCode.unauthorized,
  expired: CloseCode.unauthorized,
  "sent away": CloseCode.sentAway,
  full: CloseCode.tryLater,
  // The client reconnects automatically, and then waits.
  knocks: CloseCode.tryLater,
};

/** A caller that is a peer of a room. */
class RoomCaller implements Caller {
  readonly door: RoomDoor;
  readonly number: number;
  readonly since: number;
  readonly grantId: string;
  readonly wasAdmitted: boolean;
  readonly predatesBridge: boolean;
  status: CallerStatus | undefined;
  readonly #deps: RoomDoorDeps;

  constructor(
    door: RoomDoor,
    number: number,
    { grant, joinedAt, subscriptions }: PeerJoined,
    wasThere: boolean,
    deps: RoomDoorDeps,
  ) {
    this.predatesBridge = wasThere;
    this.door = door;
    this.number = number;
    this.since = joinedAt;
    this.grantId = grant;
    // Only a bridge subscribes peers to channels, so an earlier bridge admitted this peer.
    this.wasAdmitted = subscriptions.length > 0;
    this.#deps = deps;
  }

  grant(): Grant | undefined {
    const grant = this.#deps.grants.lookUp(this.grantId);
    return grant === undefined ? undefined : applyLimit(grant, this.status);
  }

  send(message: string): void {
    sendToPeer({ home: this.#deps.home, number: this.number }, message);
  }

  close({ why, message }: CloseReason): void {
    const close: PeerClose = { code: CLOSE_CODES[why], reason: message };
    this.#deps.home.link.send(FrameType.peerClose, this.number, toPayload(close));
  }
}

export class RoomDoor implements Door {
  readonly name: RoomDoorDeps["name"];
  readonly #deps: RoomDoorDeps;
  readonly #callers = new Map<number, { caller: RoomCaller; leave: () => void }>();

  constructor(deps: RoomDoorDeps) {
    this.name = deps.name;
    this.#deps = deps;
    deps.viewers.open(deps.home);
  }

  /** Removes all callers: the room is closed. */
  close(): void {
    for (const number of this.#callers.keys()) this.onLeft(number);
    this.#deps.viewers.close(this.#deps.home);
  }

  onJoined(number: number, joined: PeerJoined): Caller {
    return this.#addPeer(number, joined, new Map());
  }

  onLeft(number: number): Caller | undefined {
    const known = this.#callers.get(number);
    if (known === undefined) return undefined;
    this.#callers.delete(number);
    try {
      this.#deps.viewers.removePeer(number);
    } finally {
      known.leave();
    }
    return known.caller;
  }

  /** Handles a message; `isLate` if it waited too long to be run. */
  onMessage(number: number, payload: Uint8Array, isLate = false): void {
    const known = this.#callers.get(number);
    if (known !== undefined) this.#deps.hub.handleMessage(known.caller, payload, isLate);
  }

  /**
   * Greets all peers again, as after a cut: the room dropped their messages for a while and
   * reported this bridge as away. Each peer reports its position again, though it never lost it.
   */
  greetAgain(): void {
    this.#deps.viewers.noteReturn(this.#deps.home);
    const greet = logErrors(this.#deps.log, "greeting a peer again", (caller: RoomCaller) =>
      this.#deps.hub.announce(caller),
    );
    for (const { caller } of this.#callers.values()) greet(caller);
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
    const before = viewers.takePreviousPeers(home);
    // A fault with one peer must not affect the others.
    const arrive = logErrors(this.#deps.log, "a peer that is back", (number: number) => {
      const peer = joined.get(number);
      if (peer !== undefined) this.#addPeer(number, peer, states, { before: before.get(number) });
    });
    for (const number of joined.keys()) arrive(number);
    const missing = [...before].filter(([number]) => !joined.has(number));
    viewers.reconcile(home, new Map(missing), states);
    for (const [number, { leave }] of this.#callers) {
      if (joined.has(number)) continue;
      this.#callers.delete(number);
      leave();
    }
  }

  sendAll(callers: readonly Caller[], message: string): void {
    const peers = callers.filter((caller) => caller instanceof RoomCaller);
    sendToPeers(this.#deps.home, peers, message);
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
    const known = this.#callers.get(number);
    const wasThere = back !== undefined;
    const caller = known?.caller ?? new RoomCaller(this, number, joined, wasThere, this.#deps);
    const before = back?.before;
    const arriving = { number, caller, joined, states, before };
    const viewer = viewers.add(home, arriving);
    if (known === undefined) this.#callers.set(number, { caller, leave: hub.open(caller) });
    else hub.announce(caller);
    viewers.settle(viewer, arriving);
    return caller;
  }
}
