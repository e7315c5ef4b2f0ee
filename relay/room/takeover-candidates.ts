// Owns the bridges that wait while the existing link is nudged for a sign of life. Does not close
// or accept sockets itself.

import type { Hello } from "../../protocol/link.ts";
import { NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";
import type { Socket } from "./socket-state.ts";

export interface Candidate {
  readonly socket: Socket;
  readonly hello: Hello;
}

export class TakeoverCandidates {
  readonly #onSilence: () => void;
  #candidates: Candidate[] = [];
  #timer: number | null = null;

  /** Takes `onSilence`, which is called when the nudged link has sent nothing for too long. */
  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  get isOpen(): boolean {
    return this.#candidates.length > 0;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  add(candidate: Candidate): void {
    this.#candidates.push(candidate);
    // The timer keeps the room awake, but a takeover is rare and lasts seconds.
    this.#timer ??= setTimeout(this.#onSilence, NUDGE_TIMEOUT_MS);
  }

  remove(socket: WebSocket): void {
    this.#candidates = this.#candidates.filter((candidate) => candidate.socket !== socket);
    if (!this.isOpen) this.#stop();
  }

  /** Removes and returns all candidates; the caller decides about them. */
  takeAll(): Candidate[] {
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
