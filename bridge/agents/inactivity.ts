// Owns closing agents' background terminals after a time without activity.

import { formatDuration } from "../../protocol/times.ts";
import { Ends } from "../ends.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { timesOut } from "./ownership.ts";
import type { TimedPool } from "./terminal-timers.ts";
import { TerminalTimers } from "./terminal-timers.ts";

export const INACTIVITY_MS = 5 * 60_000;

export class Inactivity {
  readonly #ends = new Ends();

  constructor(pool: TimedPool & Pick<TerminalPool, "onActivity">, milliseconds: number) {
    // After a takeover terminals get the full time again: their last activity is unknown.
    const timers = new TerminalTimers(pool, (terminal, all) => {
      if (!timesOut(terminal)) return;
      const why = `after ${formatDuration(milliseconds)} without activity`;
      all.set(terminal, milliseconds, () => void pool.close(terminal, why));
    });
    this.#ends.own(
      pool.onActivity((terminal) => timers.refresh(terminal)),
      () => timers.dispose(),
    );
  }

  dispose(): void {
    this.#ends.dispose();
  }
}
