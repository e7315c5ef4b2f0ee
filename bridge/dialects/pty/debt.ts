// Owns how much a peer may be sent again before it has shown that it reads. Each attach is answered
// with up to 2 MiB, the room cannot see whether anybody takes that, and acks can be made up. The
// answer to a number that only whoever reads can know cannot. Pure, but for the number.

import { HISTORY_BYTES, REPLAY_BYTES, SILENT_PEER_BYTES } from "../../../protocol/limits.ts";

/** A client that has attached to this much is asked whether it reads. */
const ASK_AT = SILENT_PEER_BYTES / 2;

export class Debt {
  readonly #random: () => number;
  #bytes = 0;
  /** What was asked for proof, and what it will be proof of. */
  #asked: { readonly n: number; readonly bytes: number } | undefined;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Takes note of an attach. "refuse" when too much is unproven; a number is to be pinged first. */
  attach(cost: number): "refuse" | number | undefined {
    if (this.#bytes >= SILENT_PEER_BYTES) return "refuse";
    const before = this.#bytes;
    this.#bytes += cost;
    if (before < ASK_AT || this.#asked !== undefined) return undefined;
    this.#asked = { n: this.#random(), bytes: before };
    return this.#asked.n;
  }

  answered(n: number): void {
    if (this.#asked?.n !== n) return;
    this.#bytes -= this.#asked.bytes;
    this.#asked = undefined;
  }
}

/** What an attach may bring, of a stream that ends at `end`. */
export function costOf(asked: number | undefined, end: number): number {
  if (asked === undefined) return HISTORY_BYTES;
  return Math.min(REPLAY_BYTES, Math.max(0, end - asked));
}
