// Owns gathering what happens together: one telling for many changes, a moment later.

export type Later = (action: () => void, milliseconds: number) => () => void;

export class Gathering {
  readonly #milliseconds: number;
  readonly #tell: () => void;
  readonly #later: Later;
  #forget: (() => void) | undefined;

  constructor(milliseconds: number, tell: () => void, later: Later = afterwards) {
    this.#milliseconds = milliseconds;
    this.#tell = tell;
    this.#later = later;
  }

  /** Something may be different. */
  changed(): void {
    this.#forget ??= this.#later(() => {
      this.#forget = undefined;
      this.#tell();
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
