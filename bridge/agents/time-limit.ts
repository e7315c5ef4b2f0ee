// Owns ending agents' terminals when their time limit is up, busy or not. Promoted ones are the
// user's and have no limit. Counted from the start, across restarts of the bridge.

import type { PoolTerminal } from "../terminals/terminal.ts";
import { getLifetime } from "../terminals/terminal.ts";
import type { TimedPool } from "./terminal-timers.ts";
import { TerminalTimers } from "./terminal-timers.ts";

/** The maximum of setTimeout; longer limits re-arm the timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export class TimeLimit {
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
    if (getLifetime(terminal.meta) === "user") return;
    const left = terminal.meta.createdAt + this.#milliseconds - this.#now();
    timers.set(terminal, Math.min(Math.max(left, 0), LONGEST_WAIT_MS), () => {
      if (left > LONGEST_WAIT_MS) return this.#watch(terminal, timers);
      return void this.#pool.close(terminal, "time limit reached (limits.wallClock)");
    });
  }
}
