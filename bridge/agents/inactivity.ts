// Owns the end of agents' background terminals in which nothing happens any more.

import { Ends } from "../ends.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { timesOut } from "./ownership.ts";

export const INACTIVITY_MS = 5 * 60_000;

export type InactivityPool = Pick<
  TerminalPool,
  "get" | "running" | "close" | "onActivity" | "onEvent"
>;

export class Inactivity {
  readonly #pool: InactivityPool;
  readonly #ends = new Ends();
  readonly #milliseconds: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(pool: InactivityPool, milliseconds: number) {
    this.#pool = pool;
    this.#milliseconds = milliseconds;
    // Those that came with a takeover get their full time again: nobody knows when they last spoke.
    for (const terminal of pool.running()) this.#watch(terminal);
    this.#ends.own(
      pool.onActivity((terminal) => this.#timers.get(terminal.id)?.refresh()),
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
    if (terminal === undefined || !timesOut(terminal)) return;
    const end = () => {
      this.#forget(terminal.id);
      void this.#pool.close(terminal, `after ${told(this.#milliseconds)} without activity`);
    };
    const timer = setTimeout(end, this.#milliseconds);
    timer.unref();
    this.#timers.set(terminal.id, timer);
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}

function told(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
