// Owns gathering frames into messages. A relay elsewhere counts messages, so there what comes within
// a few milliseconds of the last one shares the next; the first after a pause leaves at once. On
// this machine nothing waits.

import { MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import { callEach } from "../faults.ts";

/** At most 62 messages a second, whatever is printed in however many terminals. */
export const REMOTE_BATCH_MS = 16;

/** `written` is called when the message's memory is not needed any more. */
type Send = (message: Uint8Array, written: (() => void) | undefined) => void;

export class Batch {
  readonly #send: Send;
  readonly #everyMs: number;
  #frames: Uint8Array[] = [];
  /** Of those frames that have it told. */
  #written: (() => void)[] = [];
  #bytes = 0;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, send: Send) {
    this.#everyMs = everyMs;
    this.#send = send;
  }

  /** One or more whole frames. */
  push(frames: Uint8Array, written?: () => void): void {
    if (this.#everyMs === 0) return this.#send(frames, written);
    if (this.#bytes + frames.length > MAX_LINK_MESSAGE) this.flush();
    this.#frames.push(frames);
    if (written !== undefined) this.#written.push(written);
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
    this.#written = [];
    this.#bytes = 0;
  }

  /** Sends what waits, now. */
  flush(): void {
    const frames = this.#frames;
    const written = this.#written;
    this.clear();
    const [first] = frames;
    if (first === undefined) return;
    this.#sentAt = performance.now();
    if (frames.length === 1) return this.#send(first, written[0]);
    this.#send(Buffer.concat(frames), undefined);
    // The message is a copy of them.
    callEach(written, "what follows a written frame");
    return undefined;
  }
}
