// Owns pings through the room to people and back. Our page answers them; a plain client need not,
// and then nothing is known of its latency.

import type { Ping } from "../../../protocol/pty.ts";
import type { Caller } from "../../callers/caller.ts";

/** A client that never answers must not be remembered for ever. */
const FORGET_AFTER_MS = 5_000;

interface Waiting {
  readonly caller: Caller;
  readonly sentAt: number;
  readonly resolve: (milliseconds: number | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export class Pings {
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** Milliseconds to the caller and back; undefined when no answer came. */
  ping(caller: Caller): Promise<number | undefined> {
    const n = ++this.#last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(n, undefined), FORGET_AFTER_MS);
      timer.unref();
      this.#waiting.set(n, { caller, sentAt: performance.now(), resolve, timer });
      caller.tell(JSON.stringify({ type: "pairpty:ping", n } satisfies Ping));
    });
  }

  /** A pong counts once, and only from whom it was asked. */
  answered(caller: Caller, n: number): void {
    const waiting = this.#waiting.get(n);
    if (waiting?.caller === caller) this.#settle(n, performance.now() - waiting.sentAt);
  }

  #settle(n: number, milliseconds: number | undefined): void {
    const waiting = this.#waiting.get(n);
    if (waiting === undefined) return;
    this.#waiting.delete(n);
    clearTimeout(waiting.timer);
    waiting.resolve(milliseconds);
  }
}
