// Owns gathering frames into messages. A relay elsewhere counts messages, so there what comes within
// a few milliseconds of the last one shares the next; the first after a pause leaves at once. On
// this machine nothing waits.

import { MAX_LINK_MESSAGE } from "../../protocol/limits.ts";

/** At most 62 messages a second, whatever is printed in however many terminals. */
export const REMOTE_BATCH_MS = 16;

export class Batch {
  readonly #send: (message: Uint8Array) => void;
  readonly #everyMs: number;
  #frames: Uint8Array[] = [];
  #bytes = 0;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, send: (message: Uint8Array) => void) {
    this.#everyMs = everyMs;
    this.#send = send;
  }

  /** One or more whole frames. */
  push(frames: Uint8Array): void {
    if (this.#everyMs === 0) return this.#send(frames);
    if (this.#bytes + frames.length > MAX_LINK_MESSAGE) this.flush();
    this.#frames.push(frames);
    this.#bytes += frames.length;
    const wait = this.#sentAt + this.#everyMs - performance.now();
    if (wait <= 0) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), wait);
    return undefined;
  }

  /** What waits is lost with its socket. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#frames = [];
    this.#bytes = 0;
  }

  /** Sends what waits, now. */
  flush(): void {
    const frames = this.#frames;
    const message = frames.length === 1 ? frames[0] : Buffer.concat(frames);
    this.clear();
    if (message === undefined || message.length === 0) return;
    this.#sentAt = performance.now();
    this.#send(message);
  }
}
