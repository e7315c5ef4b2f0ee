// Owns the end of what agents' terminals run when its time is up, busy or not. A promoted one is the
// user's, and has no such end. Counted from its start, over restarts of the bridge, too.

import { Ends } from "../ends.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { lifetimeOf } from "../terminals/terminal.ts";
import type { InactivityPool } from "./inactivity.ts";

export type WallClockPool = Pick<InactivityPool, "get" | "running" | "close" | "onEvent">;

/** A timer's longest wait; it is set anew then. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export class WallClock {
  readonly #pool: WallClockPool;
  readonly #milliseconds: number;
  readonly #now: () => number;
  readonly #ends = new Ends();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(pool: WallClockPool, milliseconds: number, now: () => number = Date.now) {
    this.#pool = pool;
    this.#milliseconds = milliseconds;
    this.#now = now;
    for (const terminal of pool.running()) this.#watch(terminal);
    this.#ends.own(
      pool.onEvent(({ event, terminal: { id } }) => {
        if (event === "created") this.#watch(pool.get(id));
        if (event === "promoted" || event === "closed") this.#forget(id);
      }),
    );
  }

  dispose(): void {
    this.#ends.dispose();
    for (const id of this.#timers.keys()) this.#forget(id);
  }

  #watch(terminal: PoolTerminal | undefined): void {
    if (terminal === undefined || lifetimeOf(terminal.meta) === "user") return;
    const left = terminal.meta.createdAt + this.#milliseconds - this.#now();
    const end = () => {
      if (left > LONGEST_WAIT_MS) return this.#watch(terminal);
      this.#forget(terminal.id);
      void this.#pool.close(terminal, "its time is up (limits.wallClock)");
    };
    const timer = setTimeout(end, Math.min(Math.max(left, 0), LONGEST_WAIT_MS));
    timer.unref();
    this.#timers.set(terminal.id, timer);
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}
