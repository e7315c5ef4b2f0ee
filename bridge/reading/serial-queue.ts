// Owns running actions one after the other. Agents' long reads are the main use: each takes up to
// 2 MiB from the pty host's only socket, which also carries live output, or 4 MiB of a file through
// this thread.

import { setImmediate } from "node:timers/promises";

export class SerialQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs actions in order, with a turn of the event loop in between. An action waits only for those
   * with the same key.
   */
  run<T>(act: () => T | Promise<T>, key = ""): Promise<T> {
    const before = this.#last.get(key);
    const promise = (async () => {
      await before;
      await setImmediate();
      return await act();
    })();
    // The next action waits for the end; a failure goes to its own caller only.
    const end: Promise<void> = promise.then(
      () => this.#forget(key, end),
      () => this.#forget(key, end),
    );
    this.#last.set(key, end);
    return promise;
  }

  #forget(key: string, end: Promise<unknown>): void {
    if (this.#last.get(key) === end) this.#last.delete(key);
  }
}
