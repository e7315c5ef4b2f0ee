// Owns the end of what agents' terminals run when its time is up, busy or not. A promoted one is the
// user's, and has no such end. Counted from its start, over restarts of the bridge, too.

import type { PoolTerminal } from "../terminals/terminal.ts";
import { lifetimeOf } from "../terminals/terminal.ts";
import type { TimedPool } from "./terminal-timers.ts";
import { TerminalTimers } from "./terminal-timers.ts";

/** A timer's longest wait; it is set anew then. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export class WallClock {
  readonly #pool: TimedPool;
  readonly #milliseconds: number;
  readonly #now: () => number;
  readonly #timers: TerminalTimers;

  constructor(pool: TimedPool, milliseconds: number, now: () => number = Date.now) {
    this.#pool = pool;
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#timers = new TerminalTimers(pool, (terminal, timers) => this.#watch(terminal, timers));
  }

  dispose(): void {
    this.#timers.dispose();
  }

  #watch(terminal: PoolTerminal, timers: TerminalTimers): void {
    if (lifetimeOf(terminal.meta) === "user") return;
    const left = terminal.meta.createdAt + this.#milliseconds - this.#now();
    timers.set(terminal, Math.min(Math.max(left, 0), LONGEST_WAIT_MS), () => {
      if (left > LONGEST_WAIT_MS) return this.#watch(terminal, timers);
      return void this.#pool.close(terminal, "its time is up (limits.wallClock)");
    });
  }
}
