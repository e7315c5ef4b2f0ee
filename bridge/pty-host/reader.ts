// Owns one reader of one terminal: its cursor, its credit and the timer of its batches; when
// waiting bytes are sent, and when the reader pauses a program. The pause is a lease: a hanging
// bridge must not hang the user's build.

import type { Read } from "../../protocol/host.ts";
import { FRAME_SOFT_BYTES, PTY_READ_BYTES, KiB } from "../../protocol/limits.ts";
import type { Outlet } from "./connection.ts";
import type { Ring } from "./ring.ts";

export class Reader {
  readonly #handle: number;
  readonly #ring: Ring;
  readonly #outlet: Outlet;
  readonly #due: () => void;
  readonly #lease: Lease;
  #cursor: number;
  #credit: number;
  #progressAt: number;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `due` when a batch has waited long enough. */
  constructor(handle: number, ring: Ring, outlet: Outlet, read: Read, due: () => void) {
    this.#handle = handle;
    this.#ring = ring;
    this.#outlet = outlet;
    this.#due = due;
    this.#lease = new Lease(read.paced);
    this.#cursor = read.from;
    this.#credit = read.credit;
    this.#progressAt = performance.now();
  }

  /** Whether the last byte has been sent. */
  get delivered(): boolean {
    return this.#cursor >= this.#ring.end;
  }

  /** Returns when bytes were last sent. */
  get progressAt(): number {
    return this.#progressAt;
  }

  /** Raises the credit, which never shrinks; repeating the same value still renews the lease. */
  extend(credit: number): void {
    this.#credit = Math.max(this.#credit, credit);
    this.#lease.renew(performance.now());
  }

  hold(now: number): PauseDecision {
    const unsent = this.#ring.end - Math.max(this.#cursor, this.#ring.first);
    return this.#lease.decide(unsent, now);
  }

  /** Sends what is due. `ended`: no byte will follow, so none waits for a batch. */
  pump(ended: boolean): void {
    while (this.#outlet.ready && this.#credit > this.#cursor) {
      if (this.#cursor < this.#ring.first) this.#skipGap();
      const end = Math.min(this.#ring.end, this.#credit);
      if (end <= this.#cursor) return;
      const now = performance.now();
      const leave = decideSend({
        waiting: end - this.#cursor,
        sinceLastMs: now - this.#sentAt,
        complete: ended || this.#credit < this.#ring.end,
      });
      if (!leave.now) {
        this.#wait(leave.waitMs);
        return;
      }
      const to = this.#cursor + leave.bytes;
      this.#outlet.output(this.#handle, this.#ring, this.#cursor, to);
      this.#cursor = to;
      this.#sentAt = now;
      this.#progressAt = now;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #skipGap(): void {
    this.#outlet.gap(this.#handle, this.#cursor, this.#ring.first);
    this.#cursor = this.#ring.first;
  }

  /** Starts the batch timer, unless it runs; if the bytes were sent earlier, it has no effect. */
  #wait(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#due();
    }, Math.ceil(ms));
  }
}

/** Batch time under load; too short for a person to notice, and at most 250 frames a second. */
export const BATCH_MS = 4;

export interface Batch {
  /** Bytes that may be sent. */
  readonly waiting: number;
  /** Time since the last frame of this terminal. */
  readonly sinceLastMs: number;
  /** Nothing can be added to this batch: the stream or the credit has ended. */
  readonly complete: boolean;
}

export type SendDecision =
  | { readonly now: true; readonly bytes: number }
  | { readonly now: false; readonly waitMs: number };

export function decideSend(batch: Batch): SendDecision {
  const full = batch.waiting >= FRAME_SOFT_BYTES;
  const idle = batch.sinceLastMs >= BATCH_MS;
  if (!full && !idle && !batch.complete) {
    return { now: false, waitMs: BATCH_MS - Math.max(0, batch.sinceLastMs) };
  }
  return { now: true, bytes: frameBytes(batch.waiting) };
}

/** Returns a frame's size; it may exceed the soft limit by one read. */
function frameBytes(waiting: number): number {
  return waiting <= FRAME_SOFT_BYTES + PTY_READ_BYTES ? waiting : FRAME_SOFT_BYTES;
}

/**
 * Measured from the start of a pause, or from the reader's last ack since. A driver acks every 50
 * ms, so this is silence, not slowness; silence before a pause does not count.
 */
export const LEASE_MS = 6_000;

/**
 * How far to read ahead of a paced reader: one frame is ready when credit comes. More would only
 * delay a ^C.
 */
export const READ_AHEAD_BYTES = 64 * KiB;

type PauseDecision = { readonly held: false } | { readonly held: true; readonly forMs: number };

/** Lease of one reader. The caller provides the clock. */
export class Lease {
  readonly #paced: boolean;
  /** Start of the pause, or the reader's last ack since. */
  #since: number | undefined;
  /** Whether the reader let a pause expire: no further pause until its next ack. */
  #lapsed = false;

  constructor(paced: boolean) {
    this.#paced = paced;
  }

  /** Records an ack of the reader. */
  renew(now: number): void {
    this.#lapsed = false;
    if (this.#since !== undefined) this.#since = now;
  }

  /** Returns whether to pause; `unsent` is read from the PTY and not yet sent. */
  decide(unsent: number, now: number): PauseDecision {
    if (!this.#paced || unsent < READ_AHEAD_BYTES) {
      this.#since = undefined;
      return { held: false };
    }
    if (this.#lapsed) return { held: false };
    this.#since ??= now;
    const left = this.#since + LEASE_MS - now;
    if (left > 0) return { held: true, forMs: left };
    this.#lapsed = true;
    this.#since = undefined;
    return { held: false };
  }
}
