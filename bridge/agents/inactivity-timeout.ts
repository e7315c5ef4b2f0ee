// Owns closing agents' background terminals after a time without activity.

import { formatDuration } from "../../protocol/times.ts";
import { DisposableStore } from "../disposable-store.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { hasInactivityTimeout } from "./ownership.ts";
import type { TimedPool } from "./terminal-timers.ts";
import { TerminalTimers } from "./terminal-timers.ts";

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
