// Owns the receiving half of a body: pieces wait here until their consumer takes them, and credit
// goes back as it does. What waits is at most a window. Sends no frame itself: its owner is told.

import { ReceiveCredit } from "./credit.ts";

/** What is used of a ReadableStream's controller, which the three runtimes type each in its way. */
interface Controller {
  enqueue(piece: Uint8Array): void;
  close(): void;
  error(reason: unknown): void;
}

export interface BodyOwner {
  /** The other side may send up to here now. */
  credit(limit: number): void;
  /** The consumer has everything, or wants no more. Told once, and never after `fail`. */
  done(how: "drained" | "cancelled"): void;
}

type State =
  | { readonly is: "open" }
  /** All has come; some may wait to be taken. */
  | { readonly is: "whole" }
  | { readonly is: "failed"; readonly error: Error }
  | { readonly is: "done" };

export class BodyReceiver {
  readonly #owner: BodyOwner;
  readonly #credit = new ReceiveCredit();
  readonly #waiting: Uint8Array[] = [];
  #state: State = { is: "open" };
  #controller: Controller | undefined;
  /** The consumer asked, and nothing was there. */
  #isWanted = false;

  constructor(owner: BodyOwner) {
    this.#owner = owner;
  }

  get failure(): Error | undefined {
    return this.#state.is === "failed" ? this.#state.error : undefined;
  }

  /**
   * For `new ReadableStream(source, { highWaterMark: 0 })`: the stream then keeps nothing of its
   * own, and asking for a piece is taking it. Not of type "bytes", which would detach the message
   * that a piece is a view of.
   */
  readonly source = {
    start: (controller: Controller): void => {
      this.#controller = controller;
      if (this.#state.is === "failed") controller.error(this.#state.error);
      this.#finish();
    },
    pull: (): void => {
      const piece = this.#waiting.shift();
      if (piece === undefined) this.#isWanted = true;
      else this.#give(piece);
    },
    cancel: (): void => {
      this.#done("cancelled");
    },
  };

  /** False when the other side had no credit for it. A piece that nobody wants is swallowed. */
  receive(piece: Uint8Array): boolean {
    if (this.#state.is !== "open" || piece.length === 0) return true;
    if (!this.#credit.receive(piece.length)) return false;
    if (this.#isWanted) this.#give(piece);
    else this.#waiting.push(piece);
    return true;
  }

  end(): void {
    if (this.#state.is !== "open") return;
    this.#state = { is: "whole" };
    this.#finish();
  }

  /** The rest will not come. */
  fail(error: Error): void {
    if (this.#state.is === "failed" || this.#state.is === "done") return;
    this.#state = { is: "failed", error };
    this.#waiting.length = 0;
    this.#controller?.error(error);
  }

  /** All of it in one piece, if all has come and no stream was made of it yet. */
  whole(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#state.is !== "whole" || this.#controller !== undefined) return undefined;
    const bytes = concat(this.#waiting);
    this.#done("drained");
    return bytes;
  }

  #give(piece: Uint8Array): void {
    this.#isWanted = false;
    this.#controller?.enqueue(piece);
    const limit = this.#credit.take(piece.length);
    if (limit !== undefined && this.#state.is === "open") this.#owner.credit(limit);
    this.#finish();
  }

  #finish(): void {
    if (this.#state.is !== "whole" || this.#waiting.length > 0) return;
    if (this.#controller === undefined) return;
    this.#controller.close();
    this.#done("drained");
  }

  #done(how: "drained" | "cancelled"): void {
    if (this.#state.is === "failed" || this.#state.is === "done") return;
    this.#state = { is: "done" };
    this.#waiting.length = 0;
    this.#owner.done(how);
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
