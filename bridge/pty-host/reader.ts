// Owns one reader of one terminal: its cursor, its credit and the timer of its batches.
// coalescer.ts decides when bytes are sent, lease.ts when a program is paused.

import type { Read } from "../../protocol/host.ts";
import { decideSend } from "./coalescer.ts";
import type { PauseDecision } from "./lease.ts";
import { Lease } from "./lease.ts";
import type { Outlet } from "./outlet.ts";
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
