// Owns when the tunnel's frames are sent: frames of one turn of the event loop go together, so that
// a short answer is one message, and a turn has a size limit, so that terminal output is sent in
// between however many bodies are open.

import { encodeFrame } from "../../../protocol/frame.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { FrameSender } from "../../channels/channel-table.ts";

/** Two full frames of a body; a keystroke's echo waits for at most this much. */
export const TURN_BYTES = 128 * KiB;

export class TurnSender {
  readonly #link: FrameSender;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #spent = 0;
  #turnEnd: NodeJS.Immediate | undefined;
  #waiting: (() => void)[] = [];

  constructor(link: FrameSender) {
    this.#link = link;
  }

  send(type: number, stream: number, payload?: Uint8Array): void {
    const frame = encodeFrame(type, stream, payload);
    if (this.#heldBytes + frame.length > TURN_BYTES) this.#flush();
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  /**
   * Resolves in a turn with room for a piece of a body, and reserves it. Other frames are small.
   */
  async reserve(bytes: number): Promise<void> {
    while (this.#spent >= TURN_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#spent += bytes;
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  /** Drops the held frames: they were for a link that is gone. */
  clear(): void {
    clearImmediate(this.#turnEnd);
    this.#held = [];
    this.#heldBytes = 0;
    this.#endTurn();
  }

  #endTurn(): void {
    this.#turnEnd = undefined;
    this.#flush();
    this.#spent = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const proceed of waiting) proceed();
  }

  #flush(): void {
    const [only] = this.#held;
    if (only === undefined) return;
    this.#link.sendBytes(this.#held.length === 1 ? only : Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }
}
