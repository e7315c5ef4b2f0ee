// Owns how much a socket may be sent before it has shown that it reads. The runtime queues whatever
// is sent and tells nobody; words and acks can be made up without reading. A number that only
// whoever reads can know cannot. Called for every message: nothing is allocated but for a question.

import { KiB, MiB, PROOF_ASK_BYTES, UNPROVEN_BYTES } from "../../protocol/limits.ts";

/** As it is written for after a sleep. */
export interface ProofState {
  /** Bytes sent since what was last proven. */
  readonly unproven: number;
  readonly asked: Asked | undefined;
}

interface Asked {
  readonly n: number;
  /** What an answer is proof of. */
  readonly bytes: number;
}

const MUCH = 64 * KiB;

/** How often the count is written for after a sleep: rare, and cheap for what it bounds. */
const WRITE_STEP = 1 * MiB;

export const NOTHING_SENT: ProofState = { unproven: 0, asked: undefined };

export class Proof {
  readonly #random: () => number;
  #unproven: number;
  #asked: Asked | undefined;

  constructor({ unproven, asked }: ProofState, random: () => number = unguessable) {
    this.#random = random;
    this.#unproven = unproven;
    this.#asked = asked;
  }

  get state(): ProofState {
    return { unproven: this.#unproven, asked: this.#asked };
  }

  /** More than a connection costs anyway. */
  get isMuch(): boolean {
    return this.#unproven >= MUCH;
  }

  /** The number to answer with, while one is waited for. */
  get awaited(): number | undefined {
    return this.#asked?.n;
  }

  /** Takes note of what was sent. "ask": `awaited` is new, and to be sent; "over": too much. */
  sent(bytes: number): "ask" | "over" | "write" | undefined {
    const before = this.#unproven;
    this.#unproven += bytes;
    if (this.#unproven > UNPROVEN_BYTES) return "over";
    if (this.#asked === undefined && this.#unproven >= PROOF_ASK_BYTES) {
      this.#asked = { n: this.#random(), bytes: this.#unproven };
      return "ask";
    }
    const isStep = Math.floor(this.#unproven / WRITE_STEP) > Math.floor(before / WRITE_STEP);
    return isStep ? "write" : undefined;
  }

  /** It is taken at its word for all that it was sent. */
  trust(): void {
    this.#unproven = 0;
    this.#asked = undefined;
  }

  /** False when that is not the answer. */
  answered(n: number): boolean {
    if (this.#asked?.n !== n) return false;
    this.#unproven -= this.#asked.bytes;
    this.#asked = undefined;
    return true;
  }
}

/** 53 random bits: an offset carries them exactly. */
function unguessable(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1f_ffff) * 0x1_0000_0000 + low;
}
