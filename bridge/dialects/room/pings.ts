// Owns pings through the room to people. The page answers them; plain clients need not, and then
// their latency is unknown.

import type { Ping } from "../../../protocol/pty.ts";
import type { Caller } from "../../callers/caller.ts";

/** Pings are dropped after this long, so that clients that never answer cost no memory. */
const PING_TIMEOUT_MS = 5_000;

interface PendingPing {
  readonly caller: Caller;
  readonly sentAt: number;
  readonly resolve: (milliseconds: number | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export class Pings {
  readonly #pending = new Map<number, PendingPing>();
  #last = 0;

  /** Returns the round-trip time in ms; undefined without an answer. */
  ping(caller: Caller): Promise<number | undefined> {
    const n = ++this.#last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(n, undefined), PING_TIMEOUT_MS);
      timer.unref();
      this.#pending.set(n, { caller, sentAt: performance.now(), resolve, timer });
      caller.send(JSON.stringify({ type: "pairpty:ping", n } satisfies Ping));
    });
  }

  /** Handles a pong: it counts once, and only from the caller that was pinged. */
  onPong(caller: Caller, n: number): void {
    const pending = this.#pending.get(n);
    if (pending?.caller === caller) this.#settle(n, performance.now() - pending.sentAt);
  }

  #settle(n: number, milliseconds: number | undefined): void {
    const pending = this.#pending.get(n);
    if (pending === undefined) return;
    this.#pending.delete(n);
    clearTimeout(pending.timer);
    pending.resolve(milliseconds);
  }
}
