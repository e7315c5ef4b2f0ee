// Owns one timer per running terminal, dropped when the terminal is promoted or closed. Its delay
// and its action are the caller's.

import { DisposableStore } from "../disposable-store.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

export type TimedPool = Pick<TerminalPool, "get" | "running" | "close" | "onEvent">;

export class TerminalTimers {
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
