// Owns how much a socket may still say once it was refused: what was under way when it was told,
// not more. Pure.

import { MAX_HELLO_BYTES } from "../protocol/limits.ts";

/** A client says hello, pings, and what its user typed before it has read that it was closed. */
const LAST_WORDS = 16;

export class Patience {
  #words = 0;

  /** False when it is to be cut off. */
  bears(bytes: number): boolean {
    return bytes <= MAX_HELLO_BYTES && ++this.#words <= LAST_WORDS;
  }
}

/** Of a message as the runtime gives it; text is counted in UTF-16, which is near enough. */
export function sizeOf(message: string | ArrayBuffer): number {
  return typeof message === "string" ? message.length : message.byteLength;
}
