// Owns gathering what happens together: one telling for many changes, a moment later.

export type Later = (action: () => void, milliseconds: number) => () => void;

export abstract class Gathering {
  readonly #milliseconds: number;
  readonly #later: Later;
  #forget: (() => void) | undefined;

  constructor(milliseconds: number, later: Later = afterwards) {
    this.#milliseconds = milliseconds;
    this.#later = later;
  }

  /** What came together since. */
  protected abstract flush(): void;

  /** Something may be different: those who are here are told soon. */
  changed(): void {
    this.#forget ??= this.#later(() => {
      this.#forget = undefined;
      this.flush();
    }, this.#milliseconds);
  }

  dispose(): void {
    this.#forget?.();
  }
}

/** Not a reason to stay. */
export function afterwards(action: () => void, milliseconds: number): () => void {
  const timer = setTimeout(action, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
