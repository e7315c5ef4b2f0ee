// Owns sending messages to agents in the relay's room: in order, in pieces, and never more than a
// window ahead of what the room confirmed, so that a keystroke's echo does not wait behind eight
// megabytes.

import { FrameType } from "../../../protocol/frame-types.ts";
import { KiB, MiB } from "../../../protocol/limits.ts";
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
