// Owns how much may be sent to a socket before its client proves that it reads. The runtime queues
// everything without back-pressure, and messages and acks can be sent without reading. The proof is
// a random number that only a client that reads can know. Runs for every message, so it allocates
// only for a request.

import { KiB, MiB, PROOF_REQUEST_BYTES, UNPROVEN_BYTES } from "../../protocol/limits.ts";

/** State that is saved for after hibernation. */
export interface ProofState {
  /** Bytes sent since the last proof. */
  readonly unproven: number;
  readonly asked: ProofRequest | undefined;
}

interface ProofRequest {
  readonly n: number;
  /** How many bytes an answer proves. */
  readonly bytes: number;
}

const LARGE_BYTES = 64 * KiB;

/** Saves the count in steps of this size: rare enough, and precise enough for the limit. */
const SAVE_STEP = 1 * MiB;

export const NOTHING_SENT: ProofState = { unproven: 0, asked: undefined };

export class ReadProof {
  readonly #random: () => number;
  #unproven: number;
  #pending: ProofRequest | undefined;

  constructor({ unproven, asked }: ProofState, random: () => number = randomNumber) {
    this.#random = random;
    this.#unproven = unproven;
    this.#pending = asked;
  }

  get state(): ProofState {
    return { unproven: this.#unproven, asked: this.#pending };
  }

  /** Whether more is unproven than a connection costs anyway. */
  get isLarge(): boolean {
    return this.#unproven >= LARGE_BYTES;
  }

  /** Returns the number that the client must send back; undefined when no proof is pending. */
  get awaited(): number | undefined {
    return this.#pending?.n;
  }

  /** Counts sent bytes. "ask": `awaited` is new and must be sent; "over": the limit is exceeded. */
  recordSent(bytes: number): "ask" | "over" | "write" | undefined {
    const before = this.#unproven;
    this.#unproven += bytes;
    if (this.#unproven > UNPROVEN_BYTES) return "over";
    if (this.#pending === undefined && this.#unproven >= PROOF_REQUEST_BYTES) {
      this.#pending = { n: this.#random(), bytes: this.#unproven };
      return "ask";
    }
    const isStep = Math.floor(this.#unproven / SAVE_STEP) > Math.floor(before / SAVE_STEP);
    return isStep ? "write" : undefined;
  }

  /** Treats everything sent so far as read. */
  trust(): void {
    this.#unproven = 0;
    this.#pending = undefined;
  }

  /** Returns false when `n` is not the expected number. */
  accept(n: number): boolean {
    if (this.#pending?.n !== n) return false;
    this.#unproven -= this.#pending.bytes;
    this.#pending = undefined;
    return true;
  }
}

/** Returns 53 random bits, which an offset can carry exactly. */
function randomNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1f_ffff) * 0x1_0000_0000 + low;
}
