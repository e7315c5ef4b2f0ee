// Owns detecting whether an agent through the relay reads its messages: the runtime there queues
// everything without reporting it, and an agent can send without reading. So pairpty sends a
// request with an unguessable id, which only a reader can answer. Pure.

import { MiB, PROOF_ASK_BYTES, UNPROVEN_BYTES } from "../../../protocol/limits.ts";

/** An extension method as ACP defines it; agents answer that they do not know it. */
const METHOD = "_pairpty/read";

/** Memory of a message beside its length. */
const MESSAGE_BYTES = 64;

export class Reading {
  readonly #random: () => string;
  #unproven = 0;
  #asked: { readonly id: string; readonly bytes: number } | undefined;

  constructor(random: () => string) {
    this.#random = random;
  }

  /** Counts sent bytes. Returns a request to send next, or "over" if too much is unread. */
  sent(bytes: number): { readonly ask: string } | "over" | undefined {
    this.#unproven += bytes + MESSAGE_BYTES;
    if (this.#unproven > UNPROVEN_BYTES) return "over";
    if (this.#asked !== undefined || this.#unproven < PROOF_ASK_BYTES) return undefined;
    const id = `pairpty-read-${this.#random()}`;
    this.#asked = { id, bytes: this.#unproven };
    return { ask: JSON.stringify({ jsonrpc: "2.0", id, method: METHOD, params: {} }) };
  }

  /** Whether the agent has not answered the last request yet. */
  get isBehind(): boolean {
    return this.#asked !== undefined;
  }

  /** Whether the text is the answer to the request, whatever it contains. */
  isAnswer(text: string): boolean {
    if (this.#asked === undefined || !text.includes(this.#asked.id)) return false;
    this.#unproven -= this.#asked.bytes;
    this.#asked = undefined;
    return true;
  }
}

/** Returns an error that replaces an answer too long for the relay. */
export function tooLongAnswer(id: unknown, bytes: number, most: number): string {
  const size = `${(bytes / MiB).toFixed(1)} MiB`;
  const message = `The answer has ${size}; the relay allows at most ${most / MiB} MiB. Request less, with outputByteLimit or limit`;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message } });
}
