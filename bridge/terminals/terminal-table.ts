// Owns the terminals by id and by the host's handle, and how long finished ones are kept. Also owns
// the watchers of single terminals, which are notified of activity and the end. Does not look into
// the terminal.

import { callEach } from "../faults.ts";
import type { PoolTerminal } from "./terminal.ts";

/** Finished terminals stay readable: this many, for this long. */
const MAX_FINISHED = 20;
const FINISHED_MS = 10 * 60_000;

export class TerminalTable {
  readonly #byId = new Map<string, PoolTerminal>();
  readonly #byHandle = new Map<number, PoolTerminal>();

  add(terminal: PoolTerminal): void {
    this.#byId.set(terminal.id, terminal);
    this.#byHandle.set(terminal.handle, terminal);
  }

  /** Returns a running or recently finished terminal. */
  get(id: string): PoolTerminal | undefined {
    const terminal = this.#byId.get(id);
    if (terminal?.life.state !== "finished" || isKeptUntilForgotten(terminal)) return terminal;
    if (Date.now() - terminal.life.at <= FINISHED_MS) return terminal;
    this.remove(terminal);
    return undefined;
  }

  byHandle(handle: number): PoolTerminal | undefined {
    return this.#byHandle.get(handle);
  }

  all(): PoolTerminal[] {
    return [...this.#byId.values()];
  }

  /** Returns every terminal that has not finished. */
  running(): PoolTerminal[] {
    return this.all().filter(({ life }) => life.state !== "finished");
  }

  /** Returns the lowest number that no open terminal has. */
  get freeNumber(): number {
    const open = [...this.#byId.values()].filter(({ announced }) => !announced);
    const taken = new Set(open.map(({ meta }) => meta.number));
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
  }

  /** Drops the oldest finished terminals. */
  trim(): void {
    const finished = [...this.#byId.values()].filter(
      (terminal) => terminal.life.state === "finished" && !isKeptUntilForgotten(terminal),
    );
    for (const old of finished.slice(0, -MAX_FINISHED)) this.remove(old);
  }

  clear(): void {
    this.#byId.clear();
    this.#byHandle.clear();
  }

  remove(terminal: PoolTerminal): void {
    this.#byId.delete(terminal.id);
    this.#byHandle.delete(terminal.handle);
  }
}

/** Whether it is kept until the bridge drops it, regardless of age and newer ones. */
function isKeptUntilForgotten({ meta }: PoolTerminal): boolean {
  return meta.untilForgotten === true;
}

export class Watchers<Terminal extends object> {
  readonly #listeners = new Map<Terminal, Set<() => void>>();

  /** Notifies `listener` until the returned function is called, which is idempotent. */
  watch(terminal: Terminal, listener: () => void): () => void {
    const listeners = this.#listeners.get(terminal) ?? new Set();
    this.#listeners.set(terminal, listeners);
    // A new function: the same listener may watch twice.
    const call = () => listener();
    listeners.add(call);
    return () => {
      listeners.delete(call);
      if (listeners.size === 0 && this.#listeners.get(terminal) === listeners) {
        this.#listeners.delete(terminal);
      }
    };
  }

  /** Notifies the watchers of activity. */
  notify(terminal: Terminal): void {
    // A copy: a watcher added meanwhile is notified the next time.
    const calls = Array.from(this.#listeners.get(terminal) ?? []);
    callEach(calls, "a watcher of a terminal");
  }

  /** Notifies the watchers for the last time, and removes them. */
  end(terminal: Terminal): void {
    const calls = Array.from(this.#listeners.get(terminal) ?? []);
    this.#listeners.delete(terminal);
    callEach(calls, "a watcher of a terminal");
  }

  /** Returns the number of watchers of all terminals. */
  get count(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
