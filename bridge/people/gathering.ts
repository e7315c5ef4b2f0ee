// Owns batching: many changes within a moment lead to one message.

export type Later = (action: () => void, milliseconds: number) => () => void;

export abstract class Gathering {
  readonly #milliseconds: number;
  readonly #later: Later;
  #forget: (() => void) | undefined;

  constructor(milliseconds: number, later: Later = afterwards) {
    this.#milliseconds = milliseconds;
    this.#later = later;
  }

  /** Sends everything that changed since the last flush. */
  protected abstract flush(): void;

  /** Schedules a flush, unless one is scheduled. */
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

/** Runs `action` later; returns the cancel function. The timer does not keep the process alive. */
export function afterwards(action: () => void, milliseconds: number): () => void {
  const timer = setTimeout(action, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
