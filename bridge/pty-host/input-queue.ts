// Owns the input of one PTY: order, partial writes, and a limit for programs that do not read.
// Writes directly to the descriptor: libuv's TTY writes to a master block the whole process.

import { writeSync } from "node:fs";
import { MiB } from "../../protocol/limits.ts";
import type { Log } from "./log.ts";

/** More than any paste. Input beyond it is dropped as a whole, with a log entry. */
const QUEUE_LIMIT = 1 * MiB;

/** A master has no writable event: retries soon, then with growing delays. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 64;

export class InputQueue {
  readonly #fd: number;
  readonly #log: Log;
  #pieces: Uint8Array[] = [];
  #queued = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(fd: number, log: Log) {
    this.#fd = fd;
    this.#log = log;
  }

  write(bytes: Uint8Array): void {
    const rest = this.#pieces.length === 0 ? this.#push(bytes) : bytes;
    if (rest.length === 0) return;
    if (this.#queued + rest.length > QUEUE_LIMIT) {
      this.#log("input-dropped", { bytes: rest.length, queued: this.#queued });
      return;
    }
    // A copy: a few typed bytes must not keep a whole socket read in memory.
    this.#pieces.push(rest.slice());
    this.#queued += rest.length;
    this.#retryLater();
  }

  /** Stops all writes: the descriptor's number may soon be reused. */
  close(): void {
    clearTimeout(this.#retry);
    this.#pieces = [];
    this.#queued = 0;
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#flush();
    }, this.#retryMs);
  }

  #flush(): void {
    const before = this.#queued;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const rest = this.#push(piece);
      this.#queued -= piece.length - rest.length;
      if (rest.length > 0) {
        this.#pieces[0] = rest;
        break;
      }
      this.#pieces.shift();
    }
    const moved = this.#queued < before;
    this.#retryMs = moved ? FIRST_RETRY_MS : Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    if (this.#pieces.length > 0) this.#retryLater();
  }

  /** Writes what the kernel takes now; returns the rest. */
  #push(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    while (rest.length > 0) {
      const written = this.#writeOnce(rest);
      if (written === 0) break;
      rest = rest.subarray(written);
    }
    return rest;
  }

  #writeOnce(bytes: Uint8Array): number {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EAGAIN" || code === "EINTR") return 0;
      this.#log("input-failed", { error: String(error) });
      return bytes.length;
    }
  }
}
