// Owns the door for people: the relay's room, or a room on this machine. Creates a caller for each
// peer that the room reports, and finds them again after a reconnect.

import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { ChannelState, PeerClose, PeerJoined } from "../../protocol/link.ts";
import type { Caller, Dismissal, Door, Standing } from "../callers/caller.ts";
import { limited } from "../callers/caller.ts";
import type { GrantSource, Hub } from "../callers/hub.ts";
import { tell, tellAll } from "../channels/telling.ts";
import { unfailing } from "../faults.ts";
import type { Grant } from "../grants/table.ts";
import type { Log } from "../log.ts";
import type { Home } from "../viewers/peers.ts";
import type { Before, Viewers } from "../viewers/viewers.ts";

export interface RoomDoorParts {
  readonly name: "people" | "terminal";
  readonly home: Home;
  readonly hub: Pick<Hub, "greet" | "message" | "open">;
  readonly viewers: Pick<
    Viewers,
    "add" | "beforeCut" | "close" | "left" | "open" | "reconcile" | "returned" | "settle"
  >;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly log: Pick<Log, "error">;
}

const CLOSE_CODES: Readonly<Record<Dismissal["why"], number>> = {
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
  readonly wasIn: boolean;
  readonly wasThere: boolean;
  standing: Standing | undefined;
  readonly #parts: RoomDoorParts;

  constructor(
    door: RoomDoor,
    number: number,
    { grant, joinedAt, subscriptions }: PeerJoined,
    wasThere: boolean,
    parts: RoomDoorParts,
  ) {
    this.wasThere = wasThere;
    this.door = door;
    this.number = number;
    this.since = joinedAt;
    this.grantId = grant;
    // Only a bridge subscribes peers to channels, so one had let this peer in.
    this.wasIn = subscriptions.length > 0;
    this.#parts = parts;
  }

  grant(): Grant | undefined {
    const grant = this.#parts.grants.lookUp(this.grantId);
    return grant === undefined ? undefined : limited(grant, this.standing);
  }

  tell(message: string): void {
    tell({ home: this.#parts.home, number: this.number }, message);
  }

  close({ why, sentence }: Dismissal): void {
    const close: PeerClose = { code: CLOSE_CODES[why], reason: sentence };
    this.#parts.home.link.send(FrameType.peerClose, this.number, toPayload(close));
  }
}

export class RoomDoor implements Door {
  readonly name: RoomDoorParts["name"];
  readonly #parts: RoomDoorParts;
  readonly #callers = new Map<number, { caller: RoomCaller; leave: () => void }>();

  constructor(parts: RoomDoorParts) {
    this.name = parts.name;
    this.#parts = parts;
    parts.viewers.open(parts.home);
  }

  /** Removes all callers: the room is closed. */
  close(): void {
    for (const number of this.#callers.keys()) this.left(number);
    this.#parts.viewers.close(this.#parts.home);
  }

  joined(number: number, joined: PeerJoined): Caller {
    return this.#arrive(number, joined, new Map());
  }

  left(number: number): Caller | undefined {
    const known = this.#callers.get(number);
    if (known === undefined) return undefined;
    this.#callers.delete(number);
    try {
      this.#parts.viewers.left(number);
    } finally {
      known.leave();
    }
    return known.caller;
  }

  /** Handles a message; `isLate` if it waited too long to be run. */
  message(number: number, payload: Uint8Array, isLate = false): void {
    const known = this.#callers.get(number);
    if (known !== undefined) this.#parts.hub.message(known.caller, payload, isLate);
  }

  /**
   * Greets all peers again, as after a cut: the room dropped their messages for a while and
   * reported this bridge as away. Each answers with its place, though it never lost it.
   */
  greetAgain(): void {
    this.#parts.viewers.returned(this.#parts.home);
    const greet = unfailing(this.#parts.log, "greeting a peer again", (caller: RoomCaller) =>
      this.#parts.hub.greet(caller),
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
    const { viewers, home } = this.#parts;
    const before = viewers.beforeCut(home);
    // A fault with one peer must not affect the others.
    const arrive = unfailing(this.#parts.log, "a peer that is back", (number: number) => {
      const peer = joined.get(number);
      if (peer !== undefined) this.#arrive(number, peer, states, { before: before.get(number) });
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

  tellAll(callers: readonly Caller[], message: string): void {
    const peers = callers.filter((caller) => caller instanceof RoomCaller);
    tellAll(this.#parts.home, peers, message);
  }

  /** Adds a peer; dialects greet it before it gets any output. */
  #arrive(
    number: number,
    joined: PeerJoined,
    states: ReadonlyMap<number, ChannelState>,
    /** Set for a peer that was in the room while this bridge was not connected. */
    back?: { readonly before: Before | undefined },
  ): Caller {
    const { hub, viewers, home } = this.#parts;
    const known = this.#callers.get(number);
    const wasThere = back !== undefined;
    const caller = known?.caller ?? new RoomCaller(this, number, joined, wasThere, this.#parts);
    const before = back?.before;
    const arriving = { number, caller, joined, states, before };
    const viewer = viewers.add(home, arriving);
    if (known === undefined) this.#callers.set(number, { caller, leave: hub.open(caller) });
    else hub.greet(caller);
    viewers.settle(viewer, arriving);
    return caller;
  }
}
