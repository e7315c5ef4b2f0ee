// Owns the order of messages while WebCrypto works on several at once: each is begun on arrival and
// delivered after those before it. A fault ends the delivery, so that nothing follows what is
// missing. Pure.

export class InOrder {
  readonly #onFault: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #pending = 0;
  #hasFailed = false;

  /** `onFault` is called once, for the first work that rejects or delivery that throws. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Delivers the result of `work`, which has begun, after everything added before. */
  add<T>(work: Promise<T>, deliver: (value: T) => void | Promise<void>): void {
    this.#pending += 1;
    // Handled in its turn; before that, a rejection must not count as unhandled.
    work.catch(() => undefined);
    this.#last = this.#last.then(() => this.#deliver(work, deliver));
  }

  /** Delivers what needs no work: at once if nothing is pending, else in its turn. */
  addReady(deliver: () => void): void {
    if (this.#pending > 0) this.add(Promise.resolve(), deliver);
    else if (!this.#hasFailed) deliver();
  }

  /** Resolves when everything added so far is delivered. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #deliver<T>(work: Promise<T>, deliver: (value: T) => void | Promise<void>): Promise<void> {
    try {
      const value = await work;
      if (!this.#hasFailed) await deliver(value);
    } catch (error) {
      if (!this.#hasFailed) {
        this.#hasFailed = true;
        this.#onFault(error);
      }
    } finally {
      this.#pending -= 1;
    }
  }
}
