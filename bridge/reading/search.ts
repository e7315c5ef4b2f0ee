// Owns looking for a pattern in text that may be long: in pieces that take a bounded time each, one of
// them in a turn of the event loop, over all searches together. A hundred agents that wait with costly
// patterns delay each other, and nobody else.

import { OneByOne } from "./one-by-one.ts";

export interface Matcher {
  (text: string): boolean;
  /** Of the compiled expression; a plain text has one. */
  readonly steps?: number;
}

/**
 * A match takes 10 to 25 ns for each step and character (measured with RE2JS 2.10 on Node 20, the worst
 * with classes beyond ASCII): a piece takes some 40 ms at the worst.
 */
const MAX_PIECE_WORK = 2e6;
const MAX_PIECE_CHARS = 20 << 10;
/** Pieces overlap by this much, so that a match on their edge is found. */
export const OVERLAP_CHARS = 4 << 10;
/** Less than a millisecond: such a piece waits for no turn, so that a plain wait ends at once. */
const FREE_WORK = MAX_PIECE_CHARS - 1;

/** One for all: what two searches do in the same turn holds the bridge up twice as long. */
const turns = new OneByOne();

export class Search {
  /** How much text one turn looks at; more than the overlap. */
  readonly pieceChars: number;
  readonly #matches: Matcher;
  readonly #steps: number;
  readonly #hasEnded: () => boolean;

  /** `hasEnded`: nobody waits for the result any more. */
  constructor(matches: Matcher, hasEnded: () => boolean) {
    this.#matches = matches;
    this.#hasEnded = hasEnded;
    this.#steps = matches.steps ?? 1;
    this.pieceChars = Math.max(
      2 * OVERLAP_CHARS,
      Math.min(MAX_PIECE_CHARS, Math.floor(MAX_PIECE_WORK / this.#steps)),
    );
  }

  /**
   * Whether the text matches anywhere. In text of several pieces a match longer than the overlap may be
   * missed, and the edge of a piece counts as the end of a line.
   */
  async finds(text: string): Promise<boolean> {
    for (let at = 0; ; at += this.pieceChars - OVERLAP_CHARS) {
      const end = at + this.pieceChars;
      const piece = text.slice(at, end);
      if (await this.inTurn(piece.length, () => this.#matches(piece), false)) return true;
      if (end >= text.length || this.#hasEnded()) return false;
    }
  }

  /** Runs what looks at so many characters when it may; returns `otherwise` if the search has ended. */
  async inTurn<T>(chars: number, look: () => T, otherwise: T): Promise<T> {
    const lookUnlessEnded = () => (this.#hasEnded() ? otherwise : look());
    if (chars * this.#steps <= FREE_WORK) return lookUnlessEnded();
    return await turns.run(lookUnlessEnded);
  }
}
