// Owns the model of the pty host's end of one terminal: a ring, one cursor, holds and their leases.

import { Lease } from "../../bridge/pty-host/reader.ts";
import type { RetainedBytes } from "../../bridge/terminals/host-client.ts";
import { Readers } from "../../bridge/terminals/readers.ts";
import { FRAME_SOFT_BYTES, KiB } from "../../protocol/limits.ts";
import { slice } from "./stream.ts";

/** Small against the real 2 MiB, so that floods lap it often. */
const RING = 640 * KiB;

export class Host {
  end = 0;
  first = 0;
  readonly readers: Readers;
  readonly wire: (() => void)[] = [];
  #cursor: number | undefined;
  #credit = 0;
  #lease = new Lease(true);

  constructor() {
    this.readers = new Readers({
      read: (from, credit) => {
        this.#cursor = from;
        this.#credit = credit;
        this.#lease = new Lease(true);
      },
      credit: (offset) => {
        this.#credit = Math.max(this.#credit, offset);
        this.#lease.renew(performance.now());
      },
      park: () => {
        this.#cursor = undefined;
      },
      unread: () => {
        this.#cursor = undefined;
      },
    });
  }

  get isHeld(): boolean {
    if (this.#cursor === undefined) return false;
    const unsent = this.end - Math.max(this.#cursor, this.first);
    return this.#lease.decide(unsent, performance.now()).held;
  }

  /** A held program cannot print. */
  print(bytes: number): void {
    for (let left = bytes; left > 0 && !this.isHeld; left -= 4 * KiB) {
      this.end += Math.min(left, 4 * KiB);
      this.first = Math.max(this.first, this.end - RING);
    }
  }

  send(): void {
    if (this.#cursor === undefined || this.#credit <= this.#cursor) return;
    if (this.#cursor < this.first) {
      const gap = { from: this.#cursor, to: this.first };
      this.wire.push(() => this.readers.onGap(gap));
      this.#cursor = this.first;
    }
    const offset = this.#cursor;
    const to = Math.min(this.end, this.#credit, offset + FRAME_SOFT_BYTES);
    if (to <= offset) return;
    this.#cursor = to;
    const body = slice(offset, to);
    this.wire.push(() => this.readers.onOutput({ offset, span: body.length, body }));
  }

  fetch<T>(
    from: number,
    most: number,
    accept: (kept: RetainedBytes) => T,
    to?: number,
  ): Promise<T> {
    const start = Math.min(this.end, Math.max(from, this.first, this.end - most));
    const stop = Math.max(start, Math.min(this.end, to ?? this.end));
    return new Promise((resolve, reject) => {
      this.wire.push(() => {
        try {
          resolve(accept({ offset: start, bytes: Buffer.from(slice(start, stop)) }));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}
