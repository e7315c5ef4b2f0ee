// Owns the watchers of single terminals, which are notified of activity and the end. Does not look
// into the terminal.

import { callEach } from "../faults.ts";

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
