// Owns the sending half of a body: reads a source as fast as the other side grants credit, and cuts
// it into pieces for frames. Sends no frames itself and does not know whose body it is.

import { SendCredit } from "./credit.ts";
import { FRAME_SOFT_BYTES } from "./limits.ts";

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
