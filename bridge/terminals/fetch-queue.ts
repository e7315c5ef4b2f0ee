// Owns the order of fetches: budgets of bytes in flight, per caller and in total, with round robin
// between callers. Does not access terminals or sockets.

import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";

export interface FetchBudgets {
  /** Bytes in flight for one caller. */
  readonly caller: number;
  /** Bytes in flight for all callers together. */
  readonly all: number;
}

/** A fetch's share of the bytes in flight. */
export interface FetchShare {
  /** Sets the real size, once the answer has arrived. */
  resize(bytes: number): void;
  /** Releases the bytes; further calls have no effect. */
  release(): void;
}

interface Turn {
  readonly bytes: number;
  readonly start: (share: FetchShare) => void;
}

interface CallerTurns {
  readonly waiting: Turn[];
  underWay: number;
  shares: number;
}

/** Minimum share of a fetch: even an empty one costs a request and an answer. */
const MIN_SHARE_BYTES = 4 * KiB;

/** The stream may have grown since the pty host last reported its end. */
const GROWTH_BYTES = 64 * KiB;

export class FetchQueue {
  readonly #budgets: FetchBudgets;
  /** Sorted by their next turn. */
  readonly #callers = new Map<string, CallerTurns>();
  #underWay = 0;
  #isStarting = false;

  constructor(budgets: FetchBudgets) {
    this.#budgets = budgets;
  }

  /** Whether a fetch waits for other bytes to be released. */
  get isBlocked(): boolean {
    for (const { waiting } of this.#callers.values()) if (waiting.length > 0) return true;
    return false;
  }

  /** Returns the bytes in flight. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Calls `start` once the budget has room for `bytes`; immediately if it has. */
  add(caller: string, bytes: number, start: (share: FetchShare) => void): void {
    const turns = this.#callers.get(caller) ?? { waiting: [], underWay: 0, shares: 0 };
    this.#callers.set(caller, turns);
    turns.waiting.push({ bytes: Math.max(MIN_SHARE_BYTES, bytes), start });
    this.#startDue();
  }

  /** Starts what fits, one per caller in turn. A `start` may add, resize and release. */
  #startDue(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const [caller, turns, turn] = next;
        turns.waiting.shift();
        // Moves the caller to the end: every other caller has a turn before its next one.
        this.#callers.delete(caller);
        this.#callers.set(caller, turns);
        turn.start(this.#share(caller, turns, turn.bytes));
      }
    } finally {
      this.#isStarting = false;
    }
  }

  /** Returns the next fetch. A large one blocks others until it fits, or it would starve. */
  #next(): [string, CallerTurns, Turn] | undefined {
    const { caller: ofOne, all } = this.#budgets;
    for (const [caller, turns] of this.#callers) {
      const [turn] = turns.waiting;
      if (turn === undefined) continue;
      if (turns.shares > 0 && turns.underWay + turn.bytes > ofOne) continue;
      if (this.#underWay > 0 && this.#underWay + turn.bytes > all) return undefined;
      return [caller, turns, turn];
    }
    return undefined;
  }

  #share(caller: string, turns: CallerTurns, asked: number): FetchShare {
    let bytes = 0;
    const resize = (to: number) => {
      turns.underWay += to - bytes;
      this.#underWay += to - bytes;
      bytes = to;
    };
    let isHeld = true;
    turns.shares += 1;
    resize(asked);
    return {
      resize: (to) => {
        if (!isHeld) return;
        resize(to);
        this.#startDue();
      },
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        resize(0);
        turns.shares -= 1;
        if (turns.shares === 0 && turns.waiting.length === 0) this.#callers.delete(caller);
        this.#startDue();
      },
    };
  }
}

/** Estimates how many bytes a fetch will return. */
export function estimateBytes(
  { end }: { readonly end: number },
  from: number,
  most: number,
  to = Infinity,
): number {
  const known = Math.max(0, end - from) + GROWTH_BYTES;
  return from >= to || most === 0 ? 0 : Math.min(most, to - from, known, REPLAY_BYTES);
}
