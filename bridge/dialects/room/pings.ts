// Owns pings through the room to people. The page answers them; plain clients need not, and then
// their latency is unknown.

import type { Ping } from "../../../protocol/pty.ts";
import type { Caller } from "../../callers/caller.ts";

/** Pings are dropped after this long, so that clients that never answer cost no memory. */
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

  /** Returns the round-trip time in ms; undefined without an answer. */
  ping(caller: Caller): Promise<number | undefined> {
    const n = ++this.#last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(n, undefined), FORGET_AFTER_MS);
      timer.unref();
      this.#waiting.set(n, { caller, sentAt: performance.now(), resolve, timer });
      caller.tell(JSON.stringify({ type: "pairpty:ping", n } satisfies Ping));
    });
  }

  /** Handles a pong: it counts once, and only from the caller that was pinged. */
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
