// Owns who watches one terminal: told of its activity and its end, until they stop or it has ended.
// What a terminal is does not matter here.

import { callEach } from "../faults.ts";

export class Watchers<Terminal extends object> {
  readonly #listeners = new Map<Terminal, Set<() => void>>();

  /** Whoever watches owns the end of it: what is returned stops it, as often as it is called. */
  watch(terminal: Terminal, listener: () => void): () => void {
    const listeners = this.#listeners.get(terminal) ?? new Set();
    this.#listeners.set(terminal, listeners);
    // A function of its own: the same listener may watch twice.
    const call = () => listener();
    listeners.add(call);
    return () => {
      listeners.delete(call);
      if (listeners.size === 0 && this.#listeners.get(terminal) === listeners) {
        this.#listeners.delete(terminal);
      }
    };
  }

  /** Something happened in it. */
  tell(terminal: Terminal): void {
    // A copy: whoever begins to watch now is told the next time.
    const calls = Array.from(this.#listeners.get(terminal) ?? []);
    callEach(calls, "a watcher of a terminal");
  }

  /** The last that is told of it. */
  end(terminal: Terminal): void {
    const calls = Array.from(this.#listeners.get(terminal) ?? []);
    this.#listeners.delete(terminal);
    callEach(calls, "a watcher of a terminal");
  }

  /** How many watch now, whatever they watch. */
  get count(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
