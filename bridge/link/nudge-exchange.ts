// Owns the nudges under way on one link and their answers, which come in order: each answer confirms
// everything that was sent before its nudge. Does not decide when to nudge.

import { decodeOffset } from "../../protocol/output.ts";

/** One answered nudge. Times are Unix ms. */
export interface NudgeAnswer {
  readonly number: number;
  readonly sentAt: number;
  readonly roomNow: number;
}

export class NudgeExchange {
  readonly #sendNudge: () => void;
  #sent = 0;
  #answered = 0;
  /** Unix ms of each unanswered nudge, in order. */
  #sentAt: number[] = [];
  readonly #confirmations: { readonly number: number; readonly resolve: () => void }[] = [];

  constructor(sendNudge: () => void) {
    this.#sendNudge = sendNudge;
  }

  /** Sends a nudge and returns its number. */
  send(): number {
    this.#sent++;
    this.#sentAt.push(Date.now());
    this.#sendNudge();
    return this.#sent;
  }

  /** Resolves when the room has received everything sent before, or the link is lost. */
  async confirmed(): Promise<void> {
    const number = this.send();
    await new Promise<void>((resolve) => this.#confirmations.push({ number, resolve }));
  }

  /** Handles the answer to the oldest unanswered nudge; undefined if it has no valid time. */
  onAnswer(payload: Uint8Array): NudgeAnswer | undefined {
    const number = ++this.#answered;
    const sentAt = this.#sentAt.shift();
    const roomNow = decodeOffset(payload);
    while (this.#confirmations[0] !== undefined && this.#confirmations[0].number <= number) {
      this.#confirmations.shift()?.resolve();
    }
    return sentAt === undefined || roomNow === undefined ? undefined : { number, sentAt, roomNow };
  }

  /** Starts over: a new link does not answer nudges of an older one. */
  reset(): void {
    this.#sent = 0;
    this.#answered = 0;
    this.#sentAt = [];
    for (const { resolve } of this.#confirmations.splice(0)) resolve();
  }
}
