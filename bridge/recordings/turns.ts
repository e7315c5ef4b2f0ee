// Owns the order of what is asked of one thing: each waits for the one before it, and no other thing does.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(id: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    // How the one before ended is told to whoever asked for it.
    const mine = before === undefined ? act() : before.then(act, act);
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }
}
