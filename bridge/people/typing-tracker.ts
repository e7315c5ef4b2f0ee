// Owns until when a visitor counts as typing in a terminal. Does not decide who may type.

import type { Visitor } from "./visitor.ts";

/** A person who pauses for longer is not typing. */
const TYPING_MS = 3_000;

export interface TypingTrackerDeps {
  readonly now: () => number;
  readonly schedule: (action: () => void, milliseconds: number) => () => void;
  /** Fires when a visitor paused for so long that it is not typing any more. */
  readonly onPaused: () => void;
}

export class TypingTracker {
  readonly #deps: TypingTrackerDeps;

  constructor(deps: TypingTrackerDeps) {
    this.#deps = deps;
  }

  /** Records a keystroke. Returns whether the visitor was not typing in this terminal before. */
  mark(visitor: Visitor, id: string): boolean {
    visitor.typedAt = visitor.lastMessageAt = this.#deps.now();
    if (visitor.typing?.id === id) return false;
    visitor.typing?.forget();
    this.#awaitPause(visitor, id, TYPING_MS);
    return true;
  }

  #awaitPause(visitor: Visitor, id: string, milliseconds: number): void {
    const look = (): void => {
      const left = visitor.typedAt + TYPING_MS - this.#deps.now();
      if (left > 0) return this.#awaitPause(visitor, id, left);
      visitor.typing = undefined;
      return this.#deps.onPaused();
    };
    visitor.typing = { id, forget: this.#deps.schedule(look, milliseconds) };
  }
}
