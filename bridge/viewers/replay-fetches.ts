// Owns the fetches for those who attach. Each viewer has one under way for a terminal, and the
// newest of its later ones waits. What was fetched counts until the room has it: neither a slow way
// to the relay nor a burst of attaches fills the bridge's memory.

import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { LinkSender } from "../channels/table.ts";
import { estimateBytes, FetchQueue } from "../terminals/fetch-queue.ts";
import type { FetchShare } from "../terminals/fetch-queue.ts";
import type { Retained } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Feed } from "./feed.ts";
import type { Home, Peer } from "./peers.ts";

/** Of one link: a full replay, and the next one behind it. Of a room: several links at once. */
const BUDGETS = { caller: 2 * REPLAY_BYTES, all: 16 * MiB };

/** Asking the room what it has costs a message each way: not for every short history. */
const CONFIRM_BYTES = 256 * KiB;

/** Whose turn it is, and for which terminal. */
export interface ReplayTurn {
  readonly peer: Peer;
  readonly terminal: PoolTerminal;
  /** Looked at when the turn comes: a viewer that left needs no bytes. */
  readonly isWanted: () => boolean;
}

/** A copy of retained bytes for a viewer. */
export interface ReplayRequest<T> extends ReplayTurn {
  readonly from: number;
  /** At most the last so many bytes. */
  readonly most: number;
  /** Nothing from this offset on. */
  readonly to?: number;
  /** Called at an exact place in the stream: see HostClient.fetch. */
  readonly accept: (retained: Retained) => T;
}

/** Says how many bytes were sent to the viewer; they count until the room has them. */
export type HoldBytes = (bytes: number) => void;

/** What runs for one viewer and terminal, and the one that comes next. */
interface Slot {
  waiting: { readonly start: () => void; readonly drop: () => void } | undefined;
}

export class ReplayFetches {
  readonly #pool: Pick<Feed, "fetch">;
  readonly #slots = new WeakMap<Peer, Map<string, Slot>>();
  readonly #ways = new WeakMap<Home, WayUp>();

  constructor(pool: Pick<Feed, "fetch">) {
    this.#pool = pool;
  }

  /** Undefined when a newer one of the same viewer replaced it, or it was not wanted any more. */
  fetch<T>(request: ReplayRequest<T>): Promise<T | undefined> {
    const { peer, terminal, from, most, to } = request;
    return this.take(request, estimateBytes(terminal, from, most, to), (hold) => {
      const accept = (retained: Retained) => {
        hold(retained.bytes.length);
        return request.accept(retained);
      };
      return this.#pool.fetch(terminal, from, most, accept, to, peer.caller.grantId);
    });
  }

  /** The same for other work that sends a viewer about so many bytes. */
  take<T>(
    turn: ReplayTurn,
    bytes: number,
    work: (hold: HoldBytes) => Promise<T>,
  ): Promise<T | undefined> {
    const { peer, terminal } = turn;
    const slots = this.#slots.get(peer) ?? new Map<string, Slot>();
    this.#slots.set(peer, slots);
    return new Promise((resolve, reject) => {
      const start = () => {
        const slot: Slot = { waiting: undefined };
        slots.set(terminal.id, slot);
        this.#run(turn, bytes, work)
          .then(resolve, reject)
          .finally(() => {
            slots.delete(terminal.id);
            slot.waiting?.start();
          });
      };
      const running = slots.get(terminal.id);
      if (running === undefined) return start();
      running.waiting?.drop();
      running.waiting = { start, drop: () => resolve(undefined) };
      return undefined;
    });
  }

  #run<T>(
    { peer, isWanted }: ReplayTurn,
    bytes: number,
    work: (hold: HoldBytes) => Promise<T>,
  ): Promise<T | undefined> {
    const way = this.#ways.get(peer.home) ?? new WayUp(peer.home.link);
    this.#ways.set(peer.home, way);
    return new Promise((resolve, reject) => {
      way.add(peer.caller.grantId, bytes, (share) => {
        if (!isWanted()) {
          share.release();
          return resolve(undefined);
        }
        let isHeld = false;
        const hold = (sent: number) => {
          isHeld = true;
          way.hold(share, sent);
        };
        work(hold)
          .then(resolve, reject)
          .finally(() => {
            if (!isHeld) share.release();
          });
        return undefined;
      });
    });
  }
}

/** The way to one room: what was fetched for it and may not be there yet. */
class WayUp {
  readonly #link: Pick<LinkSender, "confirmed">;
  readonly #queue = new FetchQueue(BUDGETS);
  #held: FetchShare[] = [];
  #heldBytes = 0;
  #isConfirming = false;

  constructor(link: Pick<LinkSender, "confirmed">) {
    this.#link = link;
  }

  add(caller: string, bytes: number, start: (share: FetchShare) => void): void {
    this.#queue.add(caller, bytes, start);
    this.#confirmIfDue();
  }

  /** Counts the bytes of an answer until the room has them. */
  hold(share: FetchShare, bytes: number): void {
    share.resize(bytes);
    this.#held.push(share);
    this.#heldBytes += bytes;
    // Behind what is sent of it now.
    queueMicrotask(() => this.#confirmIfDue());
  }

  #confirmIfDue(): void {
    if (this.#isConfirming || this.#held.length === 0) return;
    if (this.#heldBytes < CONFIRM_BYTES && !this.#queue.isBlocked) return;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    const confirmed = this.#link.confirmed?.();
    if (confirmed === undefined) {
      for (const share of held) share.release();
      return;
    }
    this.#isConfirming = true;
    void confirmed.finally(() => {
      this.#isConfirming = false;
      for (const share of held) share.release();
      this.#confirmIfDue();
    });
  }
}
