// Owns pings through the room to people and back. Our page answers them; a plain client need not,
// and then nothing is known of its latency.

import { pingWords } from "./words.ts";

/** A client that never answers must not be remembered for ever. */
const FORGET_AFTER_MS = 5_000;

interface Waiting {
  readonly peer: number;
  readonly sentAt: number;
  readonly resolve: (milliseconds: number | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export class Pings {
  readonly #send: (peer: number, message: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(send: (peer: number, message: string) => void) {
    this.#send = send;
  }

  /** Milliseconds to the peer and back; undefined when no answer came. */
  ping(peer: number): Promise<number | undefined> {
    const n = ++this.#last;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(n, undefined), FORGET_AFTER_MS);
      timer.unref();
      this.#waiting.set(n, { peer, sentAt: performance.now(), resolve, timer });
      this.#send(peer, pingWords(n));
    });
  }

  /** A pong counts once, and only from whom it was asked. */
  answered(peer: number, n: number): void {
    const waiting = this.#waiting.get(n);
    if (waiting?.peer === peer) this.#settle(n, performance.now() - waiting.sentAt);
  }

  #settle(n: number, milliseconds: number | undefined): void {
    const waiting = this.#waiting.get(n);
    if (waiting === undefined) return;
    this.#waiting.delete(n);
    clearTimeout(waiting.timer);
    waiting.resolve(milliseconds);
  }
}
