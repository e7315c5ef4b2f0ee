// Owns the fetches for attaching viewers. Each viewer has one in progress per terminal, and only
// its newest request waits. Sent bytes count until the room confirms them, so neither a slow link
// to the relay nor a burst of attaches fills the bridge's memory or delays terminal output.

import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { LinkSender } from "../channels/channel-table.ts";
import { estimateBytes, FetchQueue } from "../terminals/fetch-queue.ts";
import type { FetchShare } from "../terminals/fetch-queue.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { TerminalSource } from "./viewer-ports.ts";
import type { PeerRoom, Peer } from "./peer-table.ts";
import { ReplayPace } from "./replay-pace.ts";

/** Limits on sent but unconfirmed bytes: a full replay per link, and those of two or three links per room. */
const BUDGETS = { caller: REPLAY_BYTES, all: 3 * REPLAY_BYTES };

/** A confirmation costs a message each way: not for every short history. */
const CONFIRM_BYTES = 256 * KiB;

/** The viewer and terminal of a turn. */
export interface ReplayTurn {
  readonly peer: Peer;
  readonly terminal: PoolTerminal;
  /** Returns whether the fetch is still wanted when its turn comes: the viewer may have left. */
  readonly isWanted: () => boolean;
  /** Whether the viewer requested it by attaching, so that frequent attaches are slowed down. */
  readonly isPaced: boolean;
}

/** A copy of retained bytes for a viewer. */
export interface ReplayRequest<T> extends ReplayTurn {
  readonly from: number;
  /** Maximum number of bytes, counted from the end. */
  readonly maxBytes: number;
  /** Exclusive end offset. */
  readonly to?: number;
  /** Runs at an exact point of the stream; calls `sent` if it sends a different number of bytes. */
  readonly accept: (retained: RetainedBytes, sent: (bytes: number) => void) => T;
}

/** Reports how many bytes were sent to the viewer; they count until the room confirms them. */
export type HoldBytes = (bytes: number) => void;

/** Work for one viewer and terminal. */
interface Job extends Pick<ReplayTurn, "isPaced"> {
  readonly isWanted: () => boolean;
  readonly bytes: number;
  /** Sends the bytes; settles its own promise. */
  readonly run: (hold: HoldBytes) => Promise<unknown>;
  /** Resolves it with undefined: a newer one replaced it, or it is not wanted. */
  readonly drop: () => void;
}

/** The newest job of one viewer and terminal that has not started: it gets the next turn. */
interface Slot {
  next: Job | undefined;
}

export class ReplayFetches {
  readonly #pool: Pick<TerminalSource, "fetch">;
  readonly #slots = new WeakMap<Peer, Map<string, Slot>>();
  readonly #uplinks = new WeakMap<PeerRoom, UplinkBudget>();
  readonly #pace: ReplayPace;

  constructor(pool: Pick<TerminalSource, "fetch">, pace = new ReplayPace()) {
    this.#pool = pool;
    this.#pace = pace;
  }

  /** Resolves to undefined if a newer request of the viewer replaced it, or it is not wanted. */
  fetch<T>(request: ReplayRequest<T>): Promise<T | undefined> {
    const { peer, terminal, from, maxBytes, to } = request;
    return this.enqueue(request, estimateBytes(terminal, from, maxBytes, to), (hold) => {
      const accept = (retained: RetainedBytes) => {
        let sent = retained.bytes.length;
        try {
          return request.accept(retained, (bytes) => (sent = bytes));
        } finally {
          hold(sent);
        }
      };
      return this.#pool.fetch(terminal, from, maxBytes, accept, to, peer.caller.grantId);
    });
  }

  /** Queues other work that sends a viewer about `bytes`, in the same way. */
  enqueue<T>(
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

  /** Takes turns for a slot until it has no job left. */
  #pacedQueue(peer: Peer, { isPaced, bytes }: Job, slot: Slot, done: () => void): void {
    const start = () => this.#queue(peer, slot, done);
    const isWanted = () => slot.next?.isWanted() === true;
    if (isPaced) this.#pace.run({ peer, bytes, isWanted, start });
    else start();
  }

  #queue(peer: Peer, slot: Slot, done: () => void): void {
    const uplink = this.#uplinks.get(peer.home) ?? new UplinkBudget(peer.home.link);
    this.#uplinks.set(peer.home, uplink);
    const continueSlot = () => {
      if (slot.next === undefined) done();
      else this.#pacedQueue(peer, slot.next, slot, done);
    };
    uplink.add(peer.caller.grantId, slot.next?.bytes ?? 0, (share) => {
      // The newest job: attaches that come faster than turns do not delay the answer.
      const job = slot.next;
      slot.next = undefined;
      if (job?.isWanted() !== true) {
        share.release();
        job?.drop();
        return continueSlot();
      }
      share.resize(job.bytes);
      let isHeld = false;
      const hold = (sent: number) => {
        isHeld = true;
        uplink.hold(share, sent);
      };
      void job.run(hold).finally(() => {
        if (!isHeld) share.release();
        continueSlot();
      });
      return undefined;
    });
  }
}

/** The bytes fetched for one room that it has not confirmed yet. */
class UplinkBudget {
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

  /** Counts the bytes of an answer until the room confirms them. */
  hold(share: FetchShare, bytes: number): void {
    share.resize(bytes);
    this.#held.push(share);
    this.#heldBytes += bytes;
    // Runs after the bytes have been sent.
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
