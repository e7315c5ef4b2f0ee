// Owns running agents' long reads one after the other: each takes up to 2 MiB from the pty host's
// only socket, which also carries live output, or 4 MiB of a file through this thread.

import { setImmediate } from "node:timers/promises";

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs actions in order, with a turn of the event loop in between. */
  run<T>(act: () => T | Promise<T>): Promise<T> {
    const before = this.#last;
    const promise = (async () => {
      await before;
      await setImmediate();
      return await act();
    })();
    // The next action waits for the end; a failure goes to its own caller only.
    this.#last = promise.then(
      () => undefined,
      () => undefined,
    );
    return promise;
  }
}
