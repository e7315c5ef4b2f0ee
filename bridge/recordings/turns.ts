// Owns the order of actions per key: each waits for the previous one with the same key only.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(id: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    // A failure of the previous action is reported to its own caller.
    const mine = before === undefined ? act() : before.then(act, act);
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }
}
