// Owns searching for a pattern in long text: in pieces of bounded time, one per turn of the event
// loop over all searches together. A hundred agents with costly patterns delay only each other.

import { SerialQueue } from "./serial-queue.ts";

export interface Matcher {
  (text: string): boolean;
  /** Size of the compiled expression; absent for plain text, which counts as 1. */
  readonly steps?: number;
}

/**
 * A match takes 10 to 25 ns per step and character (measured with RE2JS 2.10 on Node 20, worst with
 * classes beyond ASCII): a piece takes at most some 40 ms.
 */
const MAX_PIECE_WORK = 2e6;
const MAX_PIECE_CHARS = 20 << 10;
/** Pieces overlap by this much, so that a match on their edge is found. */
export const OVERLAP_CHARS = 4 << 10;
/**
 * Takes less than a millisecond: such a piece runs immediately, so that a plain wait ends quickly.
 */
const MAX_IMMEDIATE_WORK = MAX_PIECE_CHARS - 1;

/** Shared: two searches in the same turn would block the bridge twice as long. */
const searchQueue = new SerialQueue();

export class PatternSearch {
  /** Characters per turn; more than the overlap. */
  readonly pieceChars: number;
  readonly #matches: Matcher;
  readonly #steps: number;
  readonly #hasEnded: () => boolean;

  /** Stops early once `hasEnded` returns true. */
  constructor(matches: Matcher, hasEnded: () => boolean) {
    this.#matches = matches;
    this.#hasEnded = hasEnded;
    this.#steps = matches.steps ?? 1;
    this.pieceChars = Math.max(
      2 * OVERLAP_CHARS,
      Math.min(MAX_PIECE_CHARS, Math.floor(MAX_PIECE_WORK / this.#steps)),
    );
  }

  /** Whether the text matches anywhere; a match longer than the overlap may be missed. */
  async search(text: string): Promise<boolean> {
    for (let at = 0; ; at += this.pieceChars - OVERLAP_CHARS) {
      const end = at + this.pieceChars;
      const piece = text.slice(at, end);
      if (await this.runQueued(piece.length, () => this.#matches(piece), false)) return true;
      if (end >= text.length || this.#hasEnded()) return false;
    }
  }

  /** Runs `look` when its turn comes; resolves to `otherwise` if the search has ended. */
  async runQueued<T>(chars: number, look: () => T, otherwise: T): Promise<T> {
    const lookUnlessEnded = () => (this.#hasEnded() ? otherwise : look());
    if (chars * this.#steps <= MAX_IMMEDIATE_WORK) return lookUnlessEnded();
    return await searchQueue.run(lookUnlessEnded);
  }
}
