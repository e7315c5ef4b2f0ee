// Owns telling several listeners of one thing: whoever listens gets the end of it back and owns it.
// A listener that throws is logged; the others, and whoever tells, notice nothing of it.

import { callEach } from "./faults.ts";

export class Listeners<Args extends unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();

  /** Returns how to stop listening; calling that twice is once. */
  add(listener: (...args: Args) => void): () => void {
    // A function of its own: the same listener may listen twice.
    const call = (...args: Args) => listener(...args);
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  /** Calls each in the order in which they came; throws nothing. */
  tell(...args: Args): void {
    callEach(this.#listeners, "a listener", ...args);
  }

  get count(): number {
    return this.#listeners.size;
  }
}
