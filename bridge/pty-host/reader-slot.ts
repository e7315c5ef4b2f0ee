// Owns a terminal's one reader slot: the current reader, whether a bridge is connected, and the
// pause of the program by a paced reader. The reader itself is reader.ts.

import type { Read } from "../../protocol/host.ts";
import type { Outlet } from "./connection.ts";
import { Reader } from "./reader.ts";
import type { ReadClaim, Ring } from "./ring.ts";

export interface ReaderSlotEvents {
  /** Pauses or resumes the program; called on every check. */
  readonly setPaused: (held: boolean) => void;
  /** Fires when a batch has waited long enough. */
  readonly onDue: () => void;
}

export class ReaderSlot {
  readonly #handle: number;
  readonly #ring: Ring;
  readonly #events: ReaderSlotEvents;
  #outlet: Outlet | undefined;
  #outletSince = 0;
  #reader: Reader | undefined;
  /** Time when the last reader stopped. */
  #leftAt = -Infinity;
  #leaseTimer: NodeJS.Timeout | undefined;

  constructor(handle: number, ring: Ring, events: ReaderSlotEvents) {
    this.#handle = handle;
    this.#ring = ring;
    this.#events = events;
  }

  get outlet(): Outlet | undefined {
    return this.#outlet;
  }

  /** Whether the reader has not got everything yet. */
  get hasUnsent(): boolean {
    return this.#reader !== undefined && !this.#reader.delivered;
  }

  /** Connects or disconnects a bridge; drops its reader and any pause. */
  connect(outlet: Outlet | undefined): void {
    this.#drop();
    this.#outlet = outlet;
    this.#outletSince = performance.now();
    this.applyPause();
  }

  start(read: Read): void {
    if (this.#outlet === undefined) return;
    this.#drop();
    this.#reader = new Reader(this.#handle, this.#ring, this.#outlet, read, this.#events.onDue);
  }

  extend(credit: number): void {
    this.#reader?.extend(credit);
  }

  stop(): void {
    this.#drop();
    this.#leftAt = performance.now();
  }

  /** Sends what is due, then checks whether the program must pause. */
  pump(ended: boolean): void {
    if (this.#reader === undefined) return;
    this.#reader.pump(ended);
    this.applyPause();
  }

  applyPause(): void {
    const hold = this.#reader?.hold(performance.now()) ?? { held: false };
    this.#events.setPaused(hold.held);
    if (!hold.held || this.#leaseTimer !== undefined) return;
    // Checked again when it fires: credit may have renewed the lease meanwhile.
    this.#leaseTimer = setTimeout(() => {
      this.#leaseTimer = undefined;
      this.applyPause();
    }, Math.ceil(hold.forMs));
  }

  /** Returns what a bridge may still need of a terminal that ended at this time. */
  claim(endedAt: number): ReadClaim {
    const progressAt = this.#reader?.progressAt ?? -Infinity;
    return {
      connected: this.#outlet !== undefined,
      hasUnsent: this.hasUnsent,
      quietSince: Math.max(endedAt, this.#outletSince, progressAt, this.#leftAt),
    };
  }

  close(): void {
    this.#drop();
    clearTimeout(this.#leaseTimer);
  }

  #drop(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
