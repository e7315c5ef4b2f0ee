// Owns detecting whether an agent through the relay reads its messages: the runtime there queues
// everything without reporting it, and an agent can send without reading. So pairpty sends a
// request with an unguessable id, which only a reader can answer. Pure.

import { MiB, PROOF_REQUEST_BYTES, UNPROVEN_BYTES } from "../../../protocol/limits.ts";

/** An extension method as ACP defines it; agents answer that they do not know it. */
const PROOF_METHOD = "_pairpty/read";

/** Memory that a message uses beyond its length. */
const MESSAGE_OVERHEAD_BYTES = 64;

export class ReadProof {
  readonly #random: () => string;
  #unproven = 0;
  #pending: { readonly id: string; readonly bytes: number } | undefined;

  constructor(random: () => string) {
    this.#random = random;
  }

  /** Counts sent bytes. Returns a request to send next, or "over" if too much is unread. */
  countSent(bytes: number): { readonly ask: string } | "over" | undefined {
    this.#unproven += bytes + MESSAGE_OVERHEAD_BYTES;
    if (this.#unproven > UNPROVEN_BYTES) return "over";
    if (this.#pending !== undefined || this.#unproven < PROOF_REQUEST_BYTES) return undefined;
    const id = `pairpty-read-${this.#random()}`;
    this.#pending = { id, bytes: this.#unproven };
    return { ask: JSON.stringify({ jsonrpc: "2.0", id, method: PROOF_METHOD, params: {} }) };
  }

  /** Whether the agent has not answered the last request yet. */
  get isUnanswered(): boolean {
    return this.#pending !== undefined;
  }

  /** Whether the text is the answer to the request, whatever it contains. */
  isAnswer(text: string): boolean {
    if (this.#pending === undefined || !text.includes(this.#pending.id)) return false;
    this.#unproven -= this.#pending.bytes;
    this.#pending = undefined;
    return true;
  }
}

/** Returns an error that replaces an answer too long for the relay. */
export function encodeTooLongError(id: unknown, bytes: number, maxBytes: number): string {
  const size = `${(bytes / MiB).toFixed(1)} MiB`;
  const message = `The answer has ${size}; the relay allows at most ${maxBytes / MiB} MiB. Request less, with outputByteLimit or limit`;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message } });
}
