// Owns when to tell the room what has been rendered: often enough to keep a fast program going,
// seldom enough that a quiet one costs nothing.

/** Well below the room's cap of 1 MiB, so that a rendering viewer is never skipped. */
export const ACK_BYTES = 128 * 1024;

/** The driver's acks pace the program: a short burst must not wait for the next one. */
export const ACK_MS = 50;

export type Schedule = (run: () => void, ms: number) => () => void;

export class Acks {
  readonly #send: (offset: number) => void;
  readonly #schedule: Schedule;
  #acked = 0;
  #rendered = 0;
  #cancel: (() => void) | undefined;

  constructor(send: (offset: number) => void, schedule: Schedule = byTimeout) {
    this.#send = send;
    this.#schedule = schedule;
  }

  /** A new screen starts at `offset`; what was rendered of the old one counts no more. */
  restart(offset: number): void {
    this.dispose();
    this.#acked = offset;
    this.#rendered = offset;
  }

  /** Everything before `offset` is on the screen. */
  rendered(offset: number): void {
    if (offset <= this.#rendered) return;
    this.#rendered = offset;
    if (offset - this.#acked >= ACK_BYTES) return this.#flush();
    this.#cancel ??= this.#schedule(() => this.#flush(), ACK_MS);
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #flush(): void {
    this.dispose();
    this.#acked = this.#rendered;
    this.#send(this.#rendered);
  }
}

function byTimeout(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
