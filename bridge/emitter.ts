// Owns an event emitter whose `add` returns the function to unsubscribe. A throwing listener is
// logged; the other listeners and the emitter's caller are not affected.

import { callEach } from "./faults.ts";

export class Emitter<Args extends unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();

  /** Subscribes; returns a function that unsubscribes and may be called twice. */
  add(listener: (...args: Args) => void): () => void {
    // Wrapped, so that the same listener can be added twice.
    const call = (...args: Args) => listener(...args);
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  /** Calls all listeners in the order they were added. Never throws. */
  fire(...args: Args): void {
    callEach(this.#listeners, "a listener", ...args);
  }

  get count(): number {
    return this.#listeners.size;
  }
}
