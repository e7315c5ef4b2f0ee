// Owns whether an agent through the relay reads what it is sent: the runtime there queues whatever is
// sent and tells nobody, and words can be said without reading. So it is asked something that only
// whoever reads can answer: a request by a name that nobody can guess. Pure.

import { MiB, PROOF_ASK_BYTES, UNPROVEN_BYTES } from "../../../protocol/limits.ts";

/** ACP's own way to ask for what it does not know; an agent answers that it does not know it either. */
const METHOD = "_pairpty/read";

/** What a message costs beside its length, in what holds it. */
const MESSAGE_BYTES = 64;

export class Reading {
  readonly #random: () => string;
  #unproven = 0;
  #asked: { readonly id: string; readonly bytes: number } | undefined;

  constructor(random: () => string) {
    this.#random = random;
  }

  /** Takes note of what was sent. `ask` is to be sent behind it; "over" is too much. */
  sent(bytes: number): { readonly ask: string } | "over" | undefined {
    this.#unproven += bytes + MESSAGE_BYTES;
    if (this.#unproven > UNPROVEN_BYTES) return "over";
    if (this.#asked !== undefined || this.#unproven < PROOF_ASK_BYTES) return undefined;
    const id = `pairpty-read-${this.#random()}`;
    this.#asked = { id, bytes: this.#unproven };
    return { ask: JSON.stringify({ jsonrpc: "2.0", id, method: METHOD, params: {} }) };
  }

  /** It was asked, and has not answered. */
  get isBehind(): boolean {
    return this.#asked !== undefined;
  }

  /** Whether this is the answer, whatever it says. It is nobody else's. */
  isAnswer(text: string): boolean {
    if (this.#asked === undefined || !text.includes(this.#asked.id)) return false;
    this.#unproven -= this.#asked.bytes;
    this.#asked = undefined;
    return true;
  }
}

/** An answer that has no place in a message through the relay, instead of itself. */
export function tooLongAnswer(id: unknown, bytes: number, most: number): string {
  const size = `${(bytes / MiB).toFixed(1)} MiB`;
  const message = `The answer has ${size}; ${most / MiB} MiB is the most through the relay. Ask for less, as by outputByteLimit or limit`;
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message } });
}
