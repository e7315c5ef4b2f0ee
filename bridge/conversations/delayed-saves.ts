// Owns when changed conversations are saved: together, a moment after the first change. Does not know
// how they are stored.

const SAVE_MS = 2_000;

export class DelayedSaves {
  readonly #save: (id: string) => void;
  readonly #unsaved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(save: (id: string) => void) {
    this.#save = save;
  }

  add(id: string): void {
    this.#unsaved.add(id);
    this.#timer ??= setTimeout(() => this.#saveAll(), SAVE_MS);
    this.#timer.unref();
  }

  /** Drops a conversation that no longer exists. */
  forget(id: string): void {
    this.#unsaved.delete(id);
  }

  /** Saves what is unsaved. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#saveAll();
  }

  #saveAll(): void {
    this.#timer = undefined;
    for (const id of this.#unsaved) this.#save(id);
    this.#unsaved.clear();
  }
}
