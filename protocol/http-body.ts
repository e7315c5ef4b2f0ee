// Owns the receiving half of a body: queues pieces until the consumer takes them, and grants credit
// as it does. The queue holds at most one window. Sends no frames: it calls its owner. Also owns
// the sending half of a body: reads a source as fast as the other side grants credit, and cuts it
// into pieces for frames. And the credit counters of one body in a stream, for sending and
// receiving.

import { FRAME_SOFT_BYTES, STREAM_WINDOW } from "./limits.ts";

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

// Sends no frames itself and does not know whose body it is.

/** The used part of a reader; the three runtimes share no type library that has it. */
export interface ByteReader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

export class BodySender {
  readonly #write: (piece: Uint8Array) => Promise<void> | void;
  readonly #credit = new SendCredit();
  #reader: ByteReader | undefined;
  #isStopped = false;
  #proceed: () => void = () => undefined;

  /** Awaits `write`, so the caller can hold this body back while it sends other bytes. */
  constructor(write: (piece: Uint8Array) => Promise<void> | void) {
    this.#write = write;
  }

  /** Resolves to whether the whole body was sent. Throws what the source throws. */
  async pump(reader: ByteReader): Promise<boolean> {
    this.#reader = reader;
    if (this.#isStopped) discard(reader);
    try {
      while (!this.#isStopped) {
        const { done, value } = await reader.read();
        if (done) return !this.#isStopped;
        if (!(value instanceof Uint8Array)) throw new TypeError("A body consists of bytes.");
        await this.#send(value);
      }
    } catch (error) {
      if (!this.#isStopped) throw error;
    }
    return false;
  }

  raise(limit: number): void {
    this.#credit.raise(limit);
    this.#proceed();
  }

  /** Stops sending and cancels the source: the other side does not want the rest. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#reader !== undefined) discard(this.#reader);
    this.#proceed();
  }

  async #send(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#credit.left === 0) await this.#creditRaised();
      if (this.#isStopped) return;
      const length = Math.min(bytes.length - at, this.#credit.left, FRAME_SOFT_BYTES);
      this.#credit.spend(length);
      await this.#write(bytes.subarray(at, at + length));
      at += length;
    }
  }

  #creditRaised(): Promise<void> {
    return new Promise((resolve) => {
      this.#proceed = () => {
        if (this.#credit.left > 0 || this.#isStopped) resolve();
      };
    });
  }
}

/** Cancels the source; a failure to cancel has no consequence. */
function discard(reader: ByteReader): void {
  reader.cancel().catch(() => undefined);
}

// Owns the credit counters of one body in a stream, for sending and receiving. They count from the
// body's start, so a late or repeated credit changes nothing. Sends no frames.

/** A credit per piece would be a frame per piece; four per window keep the sender busy. */
const STEP_BYTES = STREAM_WINDOW / 4;

/** The sender's side. */
export class SendCredit {
  #sent = 0;
  #limit = STREAM_WINDOW;

  get left(): number {
    return this.#limit - this.#sent;
  }

  /** Uses up credit; `bytes` must be at most `left`. */
  spend(bytes: number): void {
    this.#sent += bytes;
  }

  raise(limit: number): void {
    this.#limit = Math.max(this.#limit, limit);
  }
}

/** The receiver's side. */
export class ReceiveCredit {
  #received = 0;
  #taken = 0;
  #granted = STREAM_WINDOW;

  /** Returns false, without counting, if the other side exceeded its credit. */
  receive(bytes: number): boolean {
    if (this.#received + bytes > this.#granted) return false;
    this.#received += bytes;
    return true;
  }

  /** Counts bytes that the consumer took. Returns the new limit if the sender needs it now. */
  take(bytes: number): number | undefined {
    this.#taken += bytes;
    const limit = this.#taken + STREAM_WINDOW;
    if (limit - this.#granted < STEP_BYTES) return undefined;
    this.#granted = limit;
    return limit;
  }
}
