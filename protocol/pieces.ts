// Owns messages longer than a frame, on the link: cuts them into pieces that follow each other on
// one stream, and reassembles them. Pure. Only agents' sockets have such messages.

import { FLAG_CONTINUED, FLAG_MORE } from "./frame-types.ts";
import { MAX_FRAME_PAYLOAD } from "./limits.ts";

export interface Piece {
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** Cuts a message into pieces of at most `max` bytes. */
export function cutIntoPieces(bytes: Uint8Array, max = MAX_FRAME_PAYLOAD): Piece[] {
  if (bytes.length <= max) return [{ flags: 0, payload: bytes }];
  const pieces: Piece[] = [];
  for (let from = 0; from < bytes.length; from += max) {
    const payload = bytes.subarray(from, from + max);
    const isLast = from + payload.length === bytes.length;
    pieces.push({ flags: (from > 0 ? FLAG_CONTINUED : 0) | (isLast ? 0 : FLAG_MORE), payload });
  }
  return pieces;
}

export type PieceResult =
  | { readonly is: "whole"; readonly bytes: Uint8Array }
  | { readonly is: "more" }
  /** A piece is missing: the receiver connected in the middle of the message. */
  | { readonly is: "torn" }
  | { readonly is: "too long" };

export class PieceCollector {
  readonly #most: number;
  #held: Uint8Array[] = [];
  #length = 0;

  /** Limits one message to `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  take(flags: number, payload: Uint8Array): PieceResult {
    const isFirst = (flags & FLAG_CONTINUED) === 0;
    if (isFirst !== (this.#held.length === 0)) return this.#drop("torn");
    if (this.#length + payload.length > this.#most) return this.#drop("too long");
    if (isFirst && (flags & FLAG_MORE) === 0) return { is: "whole", bytes: payload };
    // A copy: the chunk's memory may be reused, or would stay allocated as a whole.
    this.#held.push(payload.slice());
    this.#length += payload.length;
    if ((flags & FLAG_MORE) !== 0) return { is: "more" };
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#held) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#drop("torn");
    return { is: "whole", bytes };
  }

  #drop<Is extends "torn" | "too long">(is: Is): { readonly is: Is } {
    this.#held = [];
    this.#length = 0;
    return { is };
  }
}
