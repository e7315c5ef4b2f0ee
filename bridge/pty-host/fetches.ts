// Owns the unanswered fetches of one bridge. They are answered one after the other, a chunk at a
// time while the socket has room: per fetch the host holds only a queued request (some 100 bytes),
// not a copy of the buffer (2 MiB).

import type { Fetch } from "../../protocol/host.ts";
import { FRAME_SOFT_BYTES, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Ring } from "./ring.ts";

/** The part of the socket that answers need. */
export interface FetchOutlet {
  /** False while the socket is backed up. */
  readonly ready: boolean;
  /** Sends bytes [from, to) of the ring, at most one frame; `isLast` ends the answer. */
  chunk(answer: ChunkAddress, ring: Ring, from: number, to: number, isLast: boolean): void;
  failed(request: number, error: string): void;
}

export interface ChunkAddress {
  readonly handle: number;
  readonly request: number;
}

/** The part of a terminal that answers need. */
export interface FetchSource {
  readonly ring: Ring;
  /** Returns the retained range that a fetch gets now. */
  range(fetch: Fetch): { readonly from: number; readonly to: number };
}

interface PendingFetch {
  readonly handle: number;
  readonly fetch: Fetch;
  /** Offset of the next chunk; undefined before the first. */
  next: number | undefined;
  sent: number;
}

export class Fetches {
  readonly #find: (handle: number) => FetchSource | undefined;
  readonly #outlet: FetchOutlet;
  readonly #queue: PendingFetch[] = [];

  constructor(find: (handle: number) => FetchSource | undefined, outlet: FetchOutlet) {
    this.#find = find;
    this.#outlet = outlet;
  }

  /** Answers a fetch now or as soon as the socket has room; an empty one always now. */
  add(handle: number, fetch: Fetch): void {
    const pending: PendingFetch = { handle, fetch, next: undefined, sent: 0 };
    const range = this.#find(handle)?.range(fetch);
    if (range === undefined || range.from === range.to) {
      this.#step(pending);
      return;
    }
    this.#queue.push(pending);
    this.pump();
  }

  /** Sends chunks until the socket is backed up. */
  pump(): void {
    while (this.#outlet.ready && this.#queue.length > 0) this.stepFirst();
  }

  /** Sends one chunk, so that live output of many terminals cannot starve the answers. */
  stepFirst(): void {
    const [first] = this.#queue;
    if (first !== undefined && this.#step(first)) this.#queue.shift();
  }

  /** Sends the next chunk; returns whether the answer is complete. */
  #step(pending: PendingFetch): boolean {
    const { handle, fetch } = pending;
    const terminal = this.#find(handle);
    if (terminal === undefined) {
      this.#outlet.failed(fetch.request, "The terminal no longer exists.");
      return true;
    }
    const { ring } = terminal;
    // Bytes may have left the ring since the last chunk: the bridge starts over at this one.
    let at = Math.max(pending.next ?? terminal.range(fetch).from, ring.first);
    // Uses the current end: an answer reaches at least as far as the output sent before.
    const to = Math.max(at, Math.min(ring.end, fetch.to ?? ring.end));
    // In one go for an older bridge, which accepts no frame between two chunks, and for a program
    // that prints as fast as it is read.
    const isWhole = fetch.steps !== true || pending.sent >= REPLAY_BYTES;
    const until = isWhole ? to : Math.min(to, at + FRAME_SOFT_BYTES);
    do {
      const next = Math.min(to, at + FRAME_SOFT_BYTES);
      this.#outlet.chunk({ handle, request: fetch.request }, ring, at, next, next === to);
      pending.sent += next - at;
      at = next;
    } while (at < until);
    pending.next = at;
    return at === to;
  }
}
