// Owns the readers of one terminal. The pty host serves one cursor, which several readers share,
// each with its own offset and credit: the host reads from the lowest offset, up to the lowest
// credit.

import type { Gap } from "../../protocol/host.ts";
import type { Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";

/** A live reader of a terminal's bytes. It may get bytes again that it already has. */
export interface Reader {
  /** Receives output. The bytes are lent: copy what the output's lease does not keep. */
  onOutput(output: Output): void;
  onGap(gap: Gap): void;
  /** Receives the exit. Bytes up to `end` may follow; the reader then calls `announceClosed`. */
  onExited(exit: Exit, end: number): void;
}

/** The pty host's only cursor for this terminal. */
export interface HostCursor {
  read(from: number, credit: number): void;
  credit(offset: number): void;
  /** Stops reading at `from` until later; the program continues meanwhile. */
  park(from: number): void;
  unread(): void;
}

interface ReaderState {
  /** The reader has everything before this offset. */
  at: number;
  credit: number;
  /** Gets nothing now and will continue from `at` later. */
  readonly parked?: true;
}

export class Readers {
  readonly #host: HostCursor;
  readonly #states = new Map<Reader, ReaderState>();
  /** Offset that the host sends next, if known here; undefined while it sends nothing. */
  #hostOffset: number | undefined;
  /** Credit granted to the host; the host never lowers it during one read. */
  #granted = 0;

  constructor(host: HostCursor) {
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** Whether a reader takes bytes now. */
  get hasActiveReader(): boolean {
    for (const { parked } of this.#states.values()) if (!parked) return true;
    return false;
  }

  /** Starts or moves a reader. */
  read(reader: Reader, from: number, credit: number): void {
    this.#states.set(reader, { at: from, credit });
    const isAhead = this.#hostOffset !== undefined && from >= this.#hostOffset;
    if (isAhead && this.#credit() >= this.#granted) return this.#grant();
    // Also lowers the credit if a reader without limit read before: the new one paces the program.
    this.#hostOffset = isAhead ? this.#hostOffset : minOffset(this.#activeStates());
    this.#granted = this.#credit();
    return this.#host.read(this.#hostOffset ?? from, this.#granted);
  }

  credit(reader: Reader, offset: number): void {
    const state = this.#states.get(reader);
    if (state === undefined) return;
    state.credit = Math.max(state.credit, offset);
    // Sent even if unchanged: it renews the lease of a pause.
    this.#grant();
  }

  /** Pauses a reader; it will continue at `at` or later. */
  park(reader: Reader, at: number): void {
    this.#states.set(reader, { at, credit: at, parked: true });
    this.#onReaderStopped();
  }

  unread(reader: Reader): void {
    if (this.#states.delete(reader)) this.#onReaderStopped();
  }

  onOutput(output: Output): void {
    const { offset, body } = output;
    const end = offset + body.length;
    // Frames of a read that was replaced by an earlier one may still arrive.
    if (this.#hostOffset !== undefined && offset <= this.#hostOffset)
      this.#hostOffset = Math.max(this.#hostOffset, end);
    for (const [reader, state] of this.#states) {
      if (state.parked || offset > state.at || end <= state.at) continue;
      state.at = end;
      reader.onOutput(output);
    }
  }

  onGap(gap: Gap): void {
    if (this.#hostOffset !== undefined) this.#hostOffset = Math.max(this.#hostOffset, gap.to);
    for (const [reader, state] of this.#states) {
      if (state.parked || state.at >= gap.to) continue;
      state.at = gap.to;
      reader.onGap(gap);
    }
  }

  onExited(exit: Exit, end: number): void {
    for (const reader of this.#states.keys()) reader.onExited(exit, end);
  }

  #onReaderStopped(): void {
    if (this.hasActiveReader) return this.#grant();
    this.#hostOffset = undefined;
    if (this.isEmpty) return this.#host.unread();
    return this.#host.park(minOffset([...this.#states.values()]));
  }

  #grant(): void {
    const credit = this.#credit();
    this.#granted = Math.max(this.#granted, credit);
    this.#host.credit(credit);
  }

  /** Returns the lowest credit. Called on each ack of a driver, so it allocates nothing. */
  #credit(): number {
    let least = Infinity;
    for (const { parked, credit } of this.#states.values()) {
      if (!parked) least = Math.min(least, credit);
    }
    return least;
  }

  #activeStates(): ReaderState[] {
    return [...this.#states.values()].filter(({ parked }) => !parked);
  }
}

function minOffset(states: readonly ReaderState[]): number {
  return Math.min(...states.map(({ at }) => at));
}
