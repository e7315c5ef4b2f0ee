// Owns the order of actions per key: each waits for the previous one with the same key only.

export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(id: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    // A failure of the previous action is reported to its own caller.
    const promise = before === undefined ? act() : before.then(act, act);
    this.#last.set(id, promise);
    try {
      return await promise;
    } finally {
      if (this.#last.get(id) === promise) this.#last.delete(id);
    }
  }
}
