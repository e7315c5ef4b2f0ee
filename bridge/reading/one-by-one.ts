// Owns running agents' long reads one after the other: each brings up to 2 MiB over the pty host's
// one socket, which also carries everybody's output, or 4 MiB of a file through this thread.

import { setImmediate } from "node:timers/promises";

export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  /** In the order of asking, with everybody else's turn in between. */
  run<T>(act: () => T | Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = (async () => {
      await before;
      await setImmediate();
      return await act();
    })();
    // Whoever comes next waits for the end, however it ends; the failure is its own caller's.
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }
}
