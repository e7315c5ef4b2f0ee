// Owns the fetches for those who attach. Each viewer has one under way for a terminal, and the
// newest of its later ones waits. What was sent counts until the room has it, and so until it was
// written: neither a slow way to the relay nor a burst of attaches fills the bridge's memory, and
// the output of terminals waits behind little.

import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { LinkSender } from "../channels/table.ts";
import { estimateBytes, FetchQueue } from "../terminals/fetch-queue.ts";
import type { FetchShare } from "../terminals/fetch-queue.ts";
import type { Retained } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Feed } from "./feed.ts";
import type { Home, Peer } from "./peers.ts";
import { ReplayPace } from "./replay-pace.ts";

/** Sent and not confirmed: a full replay for a link, and for a room those of two or three links. */
const BUDGETS = { caller: REPLAY_BYTES, all: 3 * REPLAY_BYTES };

/** Asking the room what it has costs a message each way: not for every short history. */
const CONFIRM_BYTES = 256 * KiB;

/** Whose turn it is, and for which terminal. */
export interface ReplayTurn {
  readonly peer: Peer;
  readonly terminal: PoolTerminal;
  /** Looked at when the turn comes: a viewer that left needs no bytes. */
  readonly isWanted: () => boolean;
  /** The viewer asked for it by attaching: it waits if it did so too often. */
  readonly isPaced: boolean;
}

/** A copy of retained bytes for a viewer. */
export interface ReplayRequest<T> extends ReplayTurn {
  readonly from: number;
  /** At most the last so many bytes. */
  readonly most: number;
  /** Nothing from this offset on. */
  readonly to?: number;
  /**
   * Called at an exact place in the stream: see HostClient.fetch. Calls `sent` if it sends more or
   * fewer bytes than were fetched.
   */
  readonly accept: (retained: Retained, sent: (bytes: number) => void) => T;
}

/** Says how many bytes were sent to the viewer; they count until the room has them. */
export type HoldBytes = (bytes: number) => void;

/** Work of one viewer and terminal. */
interface Job extends Pick<ReplayTurn, "isPaced"> {
  readonly isWanted: () => boolean;
  readonly bytes: number;
  /** Sends what it has to; settles its promise by itself. */
  readonly run: (hold: HoldBytes) => Promise<unknown>;
  /** A newer one takes its place, or nobody wants it. */
  readonly drop: () => void;
}

/** The newest job of one viewer and terminal that has not begun: it takes the next turn. */
interface Slot {
  next: Job | undefined;
}

export class ReplayFetches {
  readonly #pool: Pick<Feed, "fetch">;
  readonly #slots = new WeakMap<Peer, Map<string, Slot>>();
  readonly #ways = new WeakMap<Home, WayUp>();
  readonly #pace: ReplayPace;

  constructor(pool: Pick<Feed, "fetch">, pace = new ReplayPace()) {
    this.#pool = pool;
    this.#pace = pace;
  }

  /** Undefined when a newer one of the same viewer replaced it, or it was not wanted any more. */
  fetch<T>(request: ReplayRequest<T>): Promise<T | undefined> {
    const { peer, terminal, from, most, to } = request;
    return this.take(request, estimateBytes(terminal, from, most, to), (hold) => {
      const accept = (retained: Retained) => {
        let sent = retained.bytes.length;
        try {
          return request.accept(retained, (bytes) => (sent = bytes));
        } finally {
          hold(sent);
        }
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
    const { peer, terminal, isWanted, isPaced } = turn;
    const slots = this.#slots.get(peer) ?? new Map<string, Slot>();
    this.#slots.set(peer, slots);
    return new Promise((resolve, reject) => {
      const job: Job = {
        isWanted,
        isPaced,
        bytes,
        run: (hold) => work(hold).then(resolve, reject),
        drop: () => resolve(undefined),
      };
      const slot = slots.get(terminal.id);
      if (slot === undefined) {
        const added: Slot = { next: job };
        slots.set(terminal.id, added);
        this.#pacedQueue(peer, job, added, () => slots.delete(terminal.id));
      } else {
        slot.next?.drop();
        slot.next = job;
      }
    });
  }

  /** Takes turns for a slot, one after the other, until no job is left in it. */
  #pacedQueue(peer: Peer, { isPaced, bytes }: Job, slot: Slot, done: () => void): void {
    const start = () => this.#queue(peer, slot, done);
    const isWanted = () => slot.next?.isWanted() === true;
    if (isPaced) this.#pace.run({ peer, bytes, isWanted, start });
    else start();
  }

  #queue(peer: Peer, slot: Slot, done: () => void): void {
    const way = this.#ways.get(peer.home) ?? new WayUp(peer.home.link);
    this.#ways.set(peer.home, way);
    const goOn = () => {
      if (slot.next === undefined) done();
      else this.#pacedQueue(peer, slot.next, slot, done);
    };
    way.add(peer.caller.grantId, slot.next?.bytes ?? 0, (share) => {
      // The newest: attaches that come faster than turns do not put off the answer.
      const job = slot.next;
      slot.next = undefined;
      if (job?.isWanted() !== true) {
        share.release();
        job?.drop();
        return goOn();
      }
      share.resize(job.bytes);
      let isHeld = false;
      const hold = (sent: number) => {
        isHeld = true;
        way.hold(share, sent);
      };
      void job.run(hold).finally(() => {
        if (!isHeld) share.release();
        goOn();
      });
      return undefined;
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
    this.#isConfirming = true;
    void this.#link.confirmed().finally(() => {
      this.#isConfirming = false;
      for (const share of held) share.release();
      this.#confirmIfDue();
    });
  }
}
