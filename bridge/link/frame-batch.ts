// Owns batching frames into messages. A remote relay counts messages, so frames within a few
// milliseconds of the last message share the next one; the first frame after a pause is sent
// immediately. On this machine nothing is delayed.

import { MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import { callEach } from "../faults.ts";

/** At most 62 messages a second, however many terminals print. */
export const REMOTE_BATCH_MS = 16;

/** `written` is called once the message's memory can be reused. */
type Send = (message: Uint8Array, written: (() => void) | undefined) => void;

export class FrameBatch {
  readonly #send: Send;
  readonly #intervalMs: number;
  #frames: Uint8Array[] = [];
  /** `written` callbacks of the queued frames that have one. */
  #writtenCallbacks: (() => void)[] = [];
  #bytes = 0;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, send: Send) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  /** Queues or sends one or more whole frames. */
  push(frames: Uint8Array, written?: () => void): void {
    if (this.#intervalMs === 0) return this.#send(frames, written);
    if (this.#bytes + frames.length > MAX_LINK_MESSAGE) this.flush();
    this.#frames.push(frames);
    if (written !== undefined) this.#writtenCallbacks.push(written);
    this.#bytes += frames.length;
    const wait = this.#sentAt + this.#intervalMs - performance.now();
    if (wait <= 0) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), wait);
    return undefined;
  }

  /** Drops the queued frames, without calling their `written`. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#frames = [];
    this.#writtenCallbacks = [];
    this.#bytes = 0;
  }

  /** Sends the queued frames now. */
  flush(): void {
    const frames = this.#frames;
    const written = this.#writtenCallbacks;
    this.clear();
    const [first] = frames;
    if (first === undefined) return;
    this.#sentAt = performance.now();
    if (frames.length === 1) return this.#send(first, written[0]);
    this.#send(Buffer.concat(frames), undefined);
    // The message is a copy, so the frames' memory is free.
    callEach(written, "a callback after a written frame");
    return undefined;
  }
}
