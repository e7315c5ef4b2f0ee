// Owns the kept part of a command's stream: its beginning and end, by absolute offset, so that 100
// MB of output need no more memory. The bytes between are counted.

import { KiB } from "../../protocol/limits.ts";
import { Ring } from "../pty-host/ring.ts";
import type { Span } from "../reading/withheld-output.ts";

export interface KeptOutputLimits {
  readonly head: number;
  readonly tail: number;
}

/** Consecutive bytes with their offset in the stream. */
export interface KeptPiece {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Terminals only: spans hidden from agents, already overwritten. */
  readonly hidden?: readonly Span[];
}

const MIN_RING_BYTES = 1 * KiB;

export class KeptOutput {
  readonly #head: Ring;
  readonly #tail: Ring;
  readonly #maxHead: number;

  constructor({ head, tail }: KeptOutputLimits) {
    this.#maxHead = head;
    this.#head = new Ring(head, MIN_RING_BYTES);
    this.#tail = new Ring(tail, MIN_RING_BYTES);
  }

  /** Returns the number of bytes received, kept or not. */
  get end(): number {
    return this.#head.end + this.#tail.end;
  }

  /** Returns the number of bytes lost between the beginning and the end. */
  get lost(): number {
    return this.#tail.first;
  }

  append(bytes: Uint8Array): void {
    const first = bytes.subarray(0, this.#maxHead - this.#head.end);
    if (first.length > 0) this.#head.append(first);
    if (first.length < bytes.length) this.#tail.append(bytes.subarray(first.length));
  }

  /** Returns what is kept of [from, to): one piece, or two with a gap between them. */
  read(from = 0, to = this.end): KeptPiece[] {
    const split = this.#head.end;
    const head = findPiece(this.#head, 0, from, to);
    const tail = findPiece(this.#tail, split, from, to);
    if (head !== undefined && tail?.offset === split) {
      return [{ offset: head.offset, bytes: Buffer.concat([head.bytes, tail.bytes]) }];
    }
    return [head, tail].filter((piece) => piece !== undefined);
  }
}

/** Returns a ring's part of the range; `base` is the offset of the ring's first byte. */
function findPiece(ring: Ring, base: number, from: number, to: number): KeptPiece | undefined {
  const start = Math.max(from - base, ring.first);
  const end = Math.min(to - base, ring.end);
  if (start >= end) return undefined;
  const bytes = Buffer.allocUnsafe(end - start);
  ring.copy(start, end, bytes, 0);
  return { offset: base + start, bytes };
}
