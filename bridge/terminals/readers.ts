// Owns the readers of one terminal. The pty host serves one cursor; here several readers share it,
// each with its own place and credit: the host reads from the hindmost, as far as the least allows.

import type { Gap } from "../../protocol/host.ts";
import type { Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";

/** Whoever reads a terminal's bytes as they come. Bytes it has already may come again. */
export interface Reader {
  /** The bytes are lent: whatever is not kept by the output's lease is copied before this returns. */
  output(output: Output): void;
  gap(gap: Gap): void;
  /** Bytes up to `end` may still be on their way; the reader calls `announceClosed` behind them. */
  exited(exit: Exit, end: number): void;
}

/** The pty host's one cursor for this terminal. */
export interface HostCursor {
  read(from: number, credit: number): void;
  credit(offset: number): void;
  /** Nothing is read, and what follows `from` is wanted later: the program runs on meanwhile. */
  park(from: number): void;
  unread(): void;
}

interface Place {
  /** Everything before it was handed on. */
  at: number;
  credit: number;
  /** It takes nothing now, and will come back for what follows. */
  readonly parked?: true;
}

export class Readers {
  readonly #host: HostCursor;
  readonly #places = new Map<Reader, Place>();
  /** What the host sends next, as far as it is known here; undefined while it sends nothing. */
  #next: number | undefined;
  /** How far the host may go; there it never shrinks while one read lasts. */
  #granted = 0;

  constructor(host: HostCursor) {
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** Somebody takes bytes now. */
  get isRead(): boolean {
    for (const { parked } of this.#places.values()) if (!parked) return true;
    return false;
  }

  /** Starts a reader, or moves it. */
  read(reader: Reader, from: number, credit: number): void {
    this.#places.set(reader, { at: from, credit });
    const isAhead = this.#next !== undefined && from >= this.#next;
    if (isAhead && this.#credit() >= this.#granted) return this.#grant();
    // Also where somebody without limit read before: whoever comes paces the program from here on.
    this.#next = isAhead ? this.#next : hindmost(this.#reading());
    this.#granted = this.#credit();
    return this.#host.read(this.#next ?? from, this.#granted);
  }

  credit(reader: Reader, offset: number): void {
    const place = this.#places.get(reader);
    if (place === undefined) return;
    place.credit = Math.max(place.credit, offset);
    // Also when it stays the same: it renews the lease of a pause.
    this.#grant();
  }

  /** It takes nothing until it reads again, and then from `at` at the earliest. */
  park(reader: Reader, at: number): void {
    this.#places.set(reader, { at, credit: at, parked: true });
    this.#stopped();
  }

  unread(reader: Reader): void {
    if (this.#places.delete(reader)) this.#stopped();
  }

  output(output: Output): void {
    const { offset, body } = output;
    const end = offset + body.length;
    // Frames of a read that was replaced by one further back may still arrive.
    if (this.#next !== undefined && offset <= this.#next) this.#next = Math.max(this.#next, end);
    for (const [reader, place] of this.#places) {
      if (place.parked || offset > place.at || end <= place.at) continue;
      place.at = end;
      reader.output(output);
    }
  }

  gap(gap: Gap): void {
    if (this.#next !== undefined) this.#next = Math.max(this.#next, gap.to);
    for (const [reader, place] of this.#places) {
      if (place.parked || place.at >= gap.to) continue;
      place.at = gap.to;
      reader.gap(gap);
    }
  }

  exited(exit: Exit, end: number): void {
    for (const reader of this.#places.keys()) reader.exited(exit, end);
  }

  #stopped(): void {
    if (this.isRead) return this.#grant();
    this.#next = undefined;
    if (this.isEmpty) return this.#host.unread();
    return this.#host.park(hindmost([...this.#places.values()]));
  }

  #grant(): void {
    const credit = this.#credit();
    this.#granted = Math.max(this.#granted, credit);
    this.#host.credit(credit);
  }

  /** Asked for at each ack of a driver: it leaves nothing to collect. */
  #credit(): number {
    let least = Infinity;
    for (const { parked, credit } of this.#places.values()) {
      if (!parked) least = Math.min(least, credit);
    }
    return least;
  }

  #reading(): Place[] {
    return [...this.#places.values()].filter(({ parked }) => !parked);
  }
}

function hindmost(places: readonly Place[]): number {
  return Math.min(...places.map(({ at }) => at));
}
