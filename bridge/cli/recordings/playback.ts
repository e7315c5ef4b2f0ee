// Owns playing a recording in time: what is due, pausing, stepping. Pure but for its clock and its
// timer, which are passed in; whoever made it writes what it gives.

import type { Cast, CastEvent } from "../../../protocol/asciicast.ts";

export interface PlaybackParts {
  readonly write: (data: string) => void;
  /** All was played. */
  readonly done: () => void;
  /** Milliseconds. */
  readonly now: () => number;
  readonly later: (action: () => void, milliseconds: number) => () => void;
}

export class Playback {
  readonly #events: readonly CastEvent[];
  readonly #speed: number;
  readonly #parts: PlaybackParts;
  #next = 0;
  /** When the recording's start would have been, at this speed; while it pauses, how far it is. */
  #clock: { readonly is: "running"; readonly from: number } | { is: "paused"; at: number };
  #cancel: () => void = () => {};

  constructor({ events }: Pick<Cast, "events">, speed: number, parts: PlaybackParts) {
    this.#events = events.filter(({ code }) => code === "o");
    this.#speed = speed;
    this.#parts = parts;
    this.#clock = { is: "paused", at: 0 };
  }

  get isPaused(): boolean {
    return this.#clock.is === "paused";
  }

  start(): void {
    if (this.#clock.is === "running") return;
    const played = (this.#clock.at * 1_000) / this.#speed;
    this.#clock = { is: "running", from: this.#parts.now() - played };
    this.#play();
  }

  pause(): void {
    if (this.#clock.is === "paused") return;
    this.#cancel();
    this.#clock = { is: "paused", at: this.#at(this.#clock.from) };
  }

  toggle(): void {
    if (this.isPaused) this.start();
    else this.pause();
  }

  /** The next output, at once; it pauses behind it. */
  step(): void {
    this.pause();
    const event = this.#events[this.#next];
    if (event === undefined) return this.#parts.done();
    this.#next += 1;
    this.#clock = { is: "paused", at: event.at };
    return this.#parts.write(event.data);
  }

  stop(): void {
    this.#cancel();
    this.#next = this.#events.length;
  }

  /** Seconds of the recording that have passed. */
  #at(from: number): number {
    return ((this.#parts.now() - from) / 1_000) * this.#speed;
  }

  #play(): void {
    if (this.#clock.is === "paused") return;
    const at = this.#at(this.#clock.from);
    let event = this.#events[this.#next];
    while (event !== undefined && event.at <= at) {
      this.#next += 1;
      this.#parts.write(event.data);
      event = this.#events[this.#next];
    }
    if (event === undefined) return this.#parts.done();
    const wait = ((event.at - at) * 1_000) / this.#speed;
    this.#cancel = this.#parts.later(() => this.#play(), wait);
  }
}
