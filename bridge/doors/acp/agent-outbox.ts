// Owns sending messages to agents in the relay's room: in order, in pieces, and never more than a
// window ahead of what the room confirmed, so that a keystroke's echo does not wait behind eight
// megabytes. Also owns detecting whether an agent through the relay reads its messages: the runtime
// there queues everything without reporting it, and an agent can send without reading.

import { FrameType } from "../../../protocol/frame-types.ts";
import { KiB, MiB, PROOF_REQUEST_BYTES, UNPROVEN_BYTES } from "../../../protocol/limits.ts";
import type { Piece } from "../../../protocol/link.ts";
import { cutIntoPieces } from "../../../protocol/link.ts";

/** Sent and unconfirmed bytes, for all agents together. */
export const WINDOW_BYTES = 256 * KiB;
/** Unconfirmed bytes below which no confirmation is requested: most messages are short. */
const CONFIRM_AFTER_BYTES = 64 * KiB;
/** Bytes that may wait for one agent. */
const MAX_QUEUED_BYTES = 16 * MiB;

export interface OutboxLink {
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void;
  /** Resolves when the room has received everything sent before. */
  confirmed(): Promise<void>;
}

interface QueuedPiece extends Piece {
  readonly number: number;
}

export class AgentOutbox {
  readonly #link: OutboxLink;
  #queue: QueuedPiece[] = [];
  #sent = 0;
  #confirmed = 0;
  #isConfirming = false;
  /** Counts links: confirmations of an older link are ignored. */
  #epoch = 0;

  constructor(link: OutboxLink) {
    this.#link = link;
  }

  /** Queues a message; false if too much waits for this agent already. */
  enqueue(number: number, message: Uint8Array): boolean {
    let waiting = message.length;
    for (const piece of this.#queue) if (piece.number === number) waiting += piece.payload.length;
    if (waiting > MAX_QUEUED_BYTES) return false;
    for (const piece of cutIntoPieces(message)) this.#queue.push({ number, ...piece });
    this.#pump();
    return true;
  }

  /** Drops the queued messages of an agent that is gone. */
  removeAgent(number: number): void {
    this.#queue = this.#queue.filter((piece) => piece.number !== number);
  }

  /** Drops everything: the link is gone, and all agents with it. */
  clear(): void {
    this.#queue = [];
    this.#sent = 0;
    this.#confirmed = 0;
    this.#isConfirming = false;
    this.#epoch += 1;
  }

  #pump(): void {
    while (this.#sent - this.#confirmed < WINDOW_BYTES) {
      const piece = this.#queue.shift();
      if (piece === undefined) break;
      this.#link.send(FrameType.peerSend, piece.number, piece.payload, piece.flags);
      this.#sent += piece.payload.length;
    }
    if (this.#isConfirming || this.#sent - this.#confirmed < CONFIRM_AFTER_BYTES) return;
    this.#isConfirming = true;
    void this.#awaitConfirmation(this.#epoch, this.#sent);
  }

  async #awaitConfirmation(epoch: number, sent: number): Promise<void> {
    await this.#link.confirmed();
    if (epoch !== this.#epoch) return;
    this.#isConfirming = false;
    this.#confirmed = sent;
    this.#pump();
  }
}

// So pairpty sends a request with an unguessable id, which only a reader can answer. Pure.

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
