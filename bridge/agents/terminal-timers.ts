// Owns one timer per running terminal, dropped when the terminal is promoted or closed. Its delay
// and its action are the caller's. Also owns closing agents' background terminals after a time
// without activity. And ending agents' terminals when their time limit is up, busy or not.

import { formatDuration } from "../../protocol/formats.ts";
import { DisposableStore } from "../disposable-store.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { getLifetime } from "../terminals/terminal.ts";
import { hasInactivityTimeout } from "./ownership.ts";

type TimedPool = Pick<TerminalPool, "get" | "running" | "close" | "onEvent">;

class TerminalTimers {
  readonly #disposables = new DisposableStore();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** `watch` is called once for each terminal, including those that already run. */
  constructor(
    pool: Pick<TimedPool, "get" | "running" | "onEvent">,
    watch: (terminal: PoolTerminal, timers: TerminalTimers) => void,
  ) {
    for (const terminal of pool.running()) watch(terminal, this);
    this.#disposables.add(
      pool.onEvent(({ event, terminal: { id } }) => {
        const terminal = event === "created" ? pool.get(id) : undefined;
        if (terminal !== undefined) watch(terminal, this);
        if (event === "promoted" || event === "closed") this.#clear(id);
      }),
    );
  }

  set({ id }: PoolTerminal, milliseconds: number, action: () => void): void {
    const end = () => {
      this.#clear(id);
      action();
    };
    this.#timers.set(id, setTimeout(end, milliseconds).unref());
  }

  /** Restarts the terminal's timer. */
  refresh({ id }: PoolTerminal): void {
    this.#timers.get(id)?.refresh();
  }

  dispose(): void {
    this.#disposables.dispose();
    for (const id of this.#timers.keys()) this.#clear(id);
  }

  #clear(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}

export const INACTIVITY_MS = 5 * 60_000;

export class InactivityTimeout {
  readonly #disposables = new DisposableStore();

  constructor(pool: TimedPool & Pick<TerminalPool, "onActivity">, milliseconds: number) {
    // After a takeover terminals get the full time again: their last activity is unknown.
    const timers = new TerminalTimers(pool, (terminal, all) => {
      if (!hasInactivityTimeout(terminal)) return;
      const why = `after ${formatDuration(milliseconds)} without activity`;
      all.set(terminal, milliseconds, () => void pool.close(terminal, why));
    });
    this.#disposables.add(
      pool.onActivity((terminal) => timers.refresh(terminal)),
      () => timers.dispose(),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

// Promoted ones are the user's and have no limit. Counted from the start, across restarts of the
// bridge.

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
