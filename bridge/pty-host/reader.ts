// Owns one reader of one terminal: its cursor, its credit and the timer of its batches.
// Decides nothing by itself: coalescer.ts says when bytes leave, lease.ts when a program is held.

import type { Read } from "../../protocol/host.ts";
import { whenToLeave } from "./coalescer.ts";
import type { Hold } from "./lease.ts";
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

  /** `due` is called when a batch has waited long enough. */
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

  /** Has been sent the last byte there is. */
  get delivered(): boolean {
    return this.#cursor >= this.#ring.end;
  }

  /** When bytes were last sent. */
  get progressAt(): number {
    return this.#progressAt;
  }

  /** Credit never shrinks; saying the same again still renews the lease. */
  extend(credit: number): void {
    this.#credit = Math.max(this.#credit, credit);
    this.#lease.renew(performance.now());
  }

  hold(now: number): Hold {
    const unsent = this.#ring.end - Math.max(this.#cursor, this.#ring.first);
    return this.#lease.look(unsent, now);
  }

  /** Sends what may leave now. `ended`: no byte will follow, so none waits for company. */
  pump(ended: boolean): void {
    while (this.#outlet.ready && this.#credit > this.#cursor) {
      if (this.#cursor < this.#ring.first) this.#skipGap();
      const end = Math.min(this.#ring.end, this.#credit);
      if (end <= this.#cursor) return;
      const now = performance.now();
      const leave = whenToLeave({
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

  /** A timer that runs already is left alone: bytes that left early only make it find nothing. */
  #wait(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#due();
    }, Math.ceil(ms));
  }
}
