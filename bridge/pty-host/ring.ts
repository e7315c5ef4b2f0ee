// Owns the retained bytes of one terminal: the last `limit` bytes of a stream, by absolute offset.
// Memory grows by doubling, so an idle shell uses little. Also owns the pure rules for what is kept
// of a finished terminal, and for how long. Clocks are arguments; terminal.ts and pool.ts apply
// them.

import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";

const MIN_RING_BYTES = 4 * KiB;

export class Ring {
  readonly #limit: number;
  #bytes: Uint8Array;
  #first = 0;
  #end = 0;

  constructor(limit: number = REPLAY_BYTES, initial: number = MIN_RING_BYTES) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(Math.min(limit, initial));
  }

  /** Returns the offset of the first retained byte. */
  get first(): number {
    return this.#first;
  }

  /** Returns the offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Returns the allocated memory, for tests and metrics. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(this.#end - this.#first + bytes.length);
    const size = this.#bytes.length;
    // Of a piece longer than the whole ring only the end is kept.
    const skipped = Math.max(0, bytes.length - size);
    let at = (this.#end + skipped) % size;
    let from = skipped;
    while (from < bytes.length) {
      const piece = Math.min(bytes.length - from, size - at);
      this.#bytes.set(piece === bytes.length ? bytes : bytes.subarray(from, from + piece), at);
      from += piece;
      at = 0;
    }
    this.#end += bytes.length;
    this.#first = Math.max(this.#first, this.#end - size);
  }

  /** Copies [from, to) into `target` at `at`. The range must be retained. */
  copy(from: number, to: number, target: Uint8Array, at: number): void {
    if (from < this.#first || to > this.#end || from > to) {
      throw new RangeError(`[${from}, ${to}) is not within [${this.#first}, ${this.#end})`);
    }
    const size = this.#bytes.length;
    let put = at;
    for (let offset = from; offset < to;) {
      const start = offset % size;
      const piece = Math.min(to - offset, size - start);
      target.set(this.#bytes.subarray(start, start + piece), put);
      put += piece;
      offset += piece;
    }
  }

  /** Drops all but the last `count` bytes and frees their memory. */
  keepLast(count: number): void {
    const first = Math.max(this.#first, this.#end - count);
    const size = Math.max(1, this.#end - first);
    if (first > this.#first || size < this.#bytes.length) this.#reallocate(first, size);
  }

  #reserve(wanted: number): void {
    if (wanted <= this.#bytes.length || this.#bytes.length >= this.#limit) return;
    let size = this.#bytes.length;
    while (size < wanted && size < this.#limit) size *= 2;
    this.#reallocate(this.#first, Math.min(size, this.#limit));
  }

  #reallocate(first: number, size: number): void {
    const bytes = new Uint8Array(size);
    // A byte's index is its offset modulo the size, so at most two copies.
    for (let offset = first; offset < this.#end;) {
      const start = offset % size;
      const piece = Math.min(this.#end - offset, size - start);
      this.copy(offset, offset + piece, bytes, start);
      offset += piece;
    }
    this.#bytes = bytes;
    this.#first = first;
  }
}

/** Number of finished terminals that stay readable. */
export const MAX_FINISHED = 20;
export const MAX_FINISHED_MS = 10 * 60_000;

/**
 * Sent bytes may be lost on the way, and a viewer may have to reconnect: everything is kept for
 * this long after the last byte was sent or the reader stopped.
 */
export const CLAIM_MS = 30_000;

export interface FinishedTerminal {
  readonly handle: number;
  readonly endedAt: number;
  /** A reader has not got everything yet: newer terminals do not displace it. */
  readonly hasUnsent: boolean;
  /** Kept until the bridge drops it. */
  readonly isKept: boolean;
}

/** Returns the finished terminals to drop now. */
export function listExpired(finished: readonly FinishedTerminal[], now: number): number[] {
  const newestFirst = finished.filter(({ isKept }) => !isKept);
  newestFirst.sort((a, b) => b.endedAt - a.endedAt || b.handle - a.handle);
  return newestFirst
    .filter(
      (one, rank) =>
        now - one.endedAt >= MAX_FINISHED_MS || (rank >= MAX_FINISHED && !one.hasUnsent),
    )
    .map((one) => one.handle);
}

export interface ReadClaim {
  /** Whether a bridge is connected. If not, the next one may need everything (rule H9). */
  readonly connected: boolean;
  /** A reader has not got everything yet; it may be waiting for its link. */
  readonly hasUnsent: boolean;
  /** The latest of: the exit, the bridge's connection, the last bytes sent, the reader's stop. */
  readonly quietSince: number;
}

/** Whether the replay buffer of a finished terminal may be cut to its history. */
export function canCut(claim: ReadClaim, now: number): boolean {
  return claim.connected && !claim.hasUnsent && now - claim.quietSince >= CLAIM_MS;
}
