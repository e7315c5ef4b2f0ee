// Owns batching: many changes within a moment lead to one message.

export type Schedule = (action: () => void, milliseconds: number) => () => void;

export abstract class BatchedFlush {
  readonly #milliseconds: number;
  readonly #schedule: Schedule;
  #cancel: (() => void) | undefined;

  constructor(milliseconds: number, schedule: Schedule = scheduleUnref) {
    this.#milliseconds = milliseconds;
    this.#schedule = schedule;
  }

  /** Sends everything that changed since the last flush. */
  protected abstract flush(): void;

  /** Schedules a flush, unless one is scheduled. */
  scheduleFlush(): void {
    this.#cancel ??= this.#schedule(() => {
      this.#cancel = undefined;
      this.flush();
    }, this.#milliseconds);
  }

  dispose(): void {
    this.#cancel?.();
  }
}

/** Runs `action` later; returns the cancel function. The timer does not keep the process alive. */
export function scheduleUnref(action: () => void, milliseconds: number): () => void {
  const timer = setTimeout(action, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
