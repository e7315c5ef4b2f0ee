// Owns the bridges that wait while the link they found is asked whether it lives. Does not close or
// accept anything itself.

import type { Hello } from "../../protocol/link.ts";
import { NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";
import type { Socket } from "./attachment.ts";

export interface Candidate {
  readonly socket: Socket;
  readonly hello: Hello;
}

export class Contest {
  readonly #onSilence: () => void;
  #candidates: Candidate[] = [];
  #timer: number | null = null;

  /** `onSilence`: the link was asked and has not said anything for too long. */
  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  get isOpen(): boolean {
    return this.#candidates.length > 0;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  enter(candidate: Candidate): void {
    this.#candidates.push(candidate);
    // A timer keeps the room awake, but a contest lasts seconds and is rare.
    this.#timer ??= setTimeout(this.#onSilence, NUDGE_TIMEOUT_MS);
  }

  leave(socket: WebSocket): void {
    this.#candidates = this.#candidates.filter((candidate) => candidate.socket !== socket);
    if (!this.isOpen) this.#stop();
  }

  /** Ends the contest; what becomes of the candidates is up to the caller. */
  settle(): Candidate[] {
    const candidates = this.#candidates;
    this.#candidates = [];
    this.#stop();
    return candidates;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}
