// Owns the receiving half of a body: queues pieces until the consumer takes them, and grants credit
// as it does. The queue holds at most one window. Sends no frames: it calls its owner.

import { ReceiveCredit } from "./credit.ts";

/**
 * The used part of a ReadableStream's controller; each of the three runtimes has its own type for
 * it.
 */
interface Controller {
  enqueue(piece: Uint8Array): void;
  close(): void;
  error(reason: unknown): void;
}

export interface BodyOwner {
  /** Requests that the other side may send up to `limit`. */
  grantCredit(limit: number): void;
  /** Fires once when the consumer has everything or cancels; never after `fail`. */
  onDone(how: "drained" | "cancelled"): void;
}

type State =
  | { readonly is: "open" }
  /** All pieces have arrived; some may still be queued. */
  | { readonly is: "whole" }
  | { readonly is: "failed"; readonly error: Error }
  | { readonly is: "done" };

export class BodyReceiver {
  readonly #owner: BodyOwner;
  readonly #credit = new ReceiveCredit();
  readonly #queue: Uint8Array[] = [];
  #state: State = { is: "open" };
  #controller: Controller | undefined;
  /** The consumer requested a piece while the queue was empty. */
  #isPullPending = false;

  constructor(owner: BodyOwner) {
    this.#owner = owner;
  }

  get failure(): Error | undefined {
    return this.#state.is === "failed" ? this.#state.error : undefined;
  }

  /**
   * For `new ReadableStream(source, { highWaterMark: 0 })`: the stream buffers nothing, so a pull
   * takes a piece. Not of type "bytes", which would detach the message that a piece is a view of.
   */
  readonly source = {
    start: (controller: Controller): void => {
      this.#controller = controller;
      if (this.#state.is === "failed") controller.error(this.#state.error);
      this.#finish();
    },
    pull: (): void => {
      const piece = this.#queue.shift();
      if (piece === undefined) this.#isPullPending = true;
      else this.#deliver(piece);
    },
    cancel: (): void => {
      this.#done("cancelled");
    },
  };

  /** Returns false if the other side exceeded its credit. Drops pieces once the body is over. */
  receive(piece: Uint8Array): boolean {
    if (this.#state.is !== "open" || piece.length === 0) return true;
    if (!this.#credit.receive(piece.length)) return false;
    if (this.#isPullPending) this.#deliver(piece);
    else this.#queue.push(piece);
    return true;
  }

  end(): void {
    if (this.#state.is !== "open") return;
    this.#state = { is: "whole" };
    this.#finish();
  }

  /** Ends the body with an error: the rest will not arrive. */
  fail(error: Error): void {
    if (this.#state.is === "failed" || this.#state.is === "done") return;
    this.#state = { is: "failed", error };
    this.#queue.length = 0;
    this.#controller?.error(error);
  }

  /** Returns the body in one piece if it has arrived completely and no stream reads it yet. */
  takeWhole(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#state.is !== "whole" || this.#controller !== undefined) return undefined;
    const bytes = concat(this.#queue);
    this.#done("drained");
    return bytes;
  }

  #deliver(piece: Uint8Array): void {
    this.#isPullPending = false;
    this.#controller?.enqueue(piece);
    const limit = this.#credit.take(piece.length);
    if (limit !== undefined && this.#state.is === "open") this.#owner.grantCredit(limit);
    this.#finish();
  }

  #finish(): void {
    if (this.#state.is !== "whole" || this.#queue.length > 0) return;
    if (this.#controller === undefined) return;
    this.#controller.close();
    this.#done("drained");
  }

  #done(how: "drained" | "cancelled"): void {
    if (this.#state.is === "failed" || this.#state.is === "done") return;
    this.#state = { is: "done" };
    this.#queue.length = 0;
    this.#owner.onDone(how);
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
