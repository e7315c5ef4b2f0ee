// Owns the place of a terminal's one reader: who reads now, whether a bridge is there at all, and
// the hold on the program that a paced reader brings. The reader itself is reader.ts.

import type { Read } from "../../protocol/host.ts";
import type { Outlet } from "./outlet.ts";
import { Reader } from "./reader.ts";
import type { Claim } from "./retention.ts";
import type { Ring } from "./ring.ts";

export interface ReadingEvents {
  /** Whether the program must wait; said as often as it is looked at. */
  readonly hold: (held: boolean) => void;
  /** A batch has waited long enough. */
  readonly due: () => void;
}

export class Reading {
  readonly #handle: number;
  readonly #ring: Ring;
  readonly #events: ReadingEvents;
  #outlet: Outlet | undefined;
  #outletSince = 0;
  #reader: Reader | undefined;
  /** When a reader last left. */
  #leftAt = -Infinity;
  #leaseTimer: NodeJS.Timeout | undefined;

  constructor(handle: number, ring: Ring, events: ReadingEvents) {
    this.#handle = handle;
    this.#ring = ring;
    this.#events = events;
  }

  get outlet(): Outlet | undefined {
    return this.#outlet;
  }

  /** A reader has bytes still to come. */
  get owed(): boolean {
    return this.#reader !== undefined && !this.#reader.delivered;
  }

  /** A bridge came or went. Its reader goes with it, and so does any hold. */
  connect(outlet: Outlet | undefined): void {
    this.#drop();
    this.#outlet = outlet;
    this.#outletSince = performance.now();
    this.applyHold();
  }

  start(read: Read): void {
    if (this.#outlet === undefined) return;
    this.#drop();
    this.#reader = new Reader(this.#handle, this.#ring, this.#outlet, read, this.#events.due);
  }

  extend(credit: number): void {
    this.#reader?.extend(credit);
  }

  stop(): void {
    this.#drop();
    this.#leftAt = performance.now();
  }

  /** Sends what may leave, then sees whether the program must wait. */
  pump(ended: boolean): void {
    if (this.#reader === undefined) return;
    this.#reader.pump(ended);
    this.applyHold();
  }

  applyHold(): void {
    const hold = this.#reader?.hold(performance.now()) ?? { held: false };
    this.#events.hold(hold.held);
    if (!hold.held || this.#leaseTimer !== undefined) return;
    // Looked at anew when it fires: credit may have renewed the lease meanwhile.
    this.#leaseTimer = setTimeout(() => {
      this.#leaseTimer = undefined;
      this.applyHold();
    }, Math.ceil(hold.forMs));
  }

  /** What a bridge may still want of a terminal that ended then. */
  claim(endedAt: number): Claim {
    const progressAt = this.#reader?.progressAt ?? -Infinity;
    return {
      connected: this.#outlet !== undefined,
      owed: this.owed,
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
