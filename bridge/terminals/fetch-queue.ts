// Owns whose turn it is to have retained bytes fetched: budgets of bytes under way, for each caller
// and for all, with the callers in turn. Knows no terminal and no socket.

import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";

export interface FetchBudgets {
  /** Bytes under way for one caller. */
  readonly caller: number;
  /** Bytes under way for all callers together. */
  readonly all: number;
}

/** A place among the bytes under way. */
export interface FetchShare {
  /** The answer has come, and has so many bytes. */
  resize(bytes: number): void;
  /** The bytes are gone; calling it again changes nothing. */
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

/** What a fetch of nothing counts: the request and its answer are work, too. */
const MIN_SHARE_BYTES = 4 * KiB;

/** The stream may have grown since the pty host last said where it ends. */
const GROWTH_BYTES = 64 * KiB;

export class FetchQueue {
  readonly #budgets: FetchBudgets;
  /** In the order of their turns. */
  readonly #callers = new Map<string, CallerTurns>();
  #underWay = 0;
  #isStarting = false;

  constructor(budgets: FetchBudgets) {
    this.#budgets = budgets;
  }

  /** Whether a fetch waits for bytes of others, or its caller's own, to be released. */
  get isBlocked(): boolean {
    for (const { waiting } of this.#callers.values()) if (waiting.length > 0) return true;
    return false;
  }

  /** Bytes under way now. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Calls `start` once there is room for so many bytes; at once, if there is. */
  add(caller: string, bytes: number, start: (share: FetchShare) => void): void {
    const turns = this.#callers.get(caller) ?? { waiting: [], underWay: 0, shares: 0 };
    this.#callers.set(caller, turns);
    turns.waiting.push({ bytes: Math.max(MIN_SHARE_BYTES, bytes), start });
    this.#startDue();
  }

  /** Starts what fits, one of each caller in turn. A `start` may add, resize and release. */
  #startDue(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const [caller, turns, turn] = next;
        turns.waiting.shift();
        // Behind the others: the next turn of this caller comes after one of each of them.
        this.#callers.delete(caller);
        this.#callers.set(caller, turns);
        turn.start(this.#share(caller, turns, turn.bytes));
      }
    } finally {
      this.#isStarting = false;
    }
  }

  /** A large fetch is not overtaken by small ones of others for ever: it waits for the budget of all. */
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

/** How many bytes a fetch may bring, as far as is known before its answer. */
export function estimateBytes(
  { end }: { readonly end: number },
  from: number,
  most: number,
  to = Infinity,
): number {
  const known = Math.max(0, end - from) + GROWTH_BYTES;
  return from >= to || most === 0 ? 0 : Math.min(most, to - from, known, REPLAY_BYTES);
}
