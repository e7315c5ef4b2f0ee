// Plays a recording in time: due events, pause, step. Clock, timer and output are injected.

import type { Cast, CastEvent } from "../../../protocol/asciicast.ts";

export interface PlaybackParts {
  readonly write: (data: string) => void;
  /** Fires when everything was played. */
  readonly done: () => void;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  readonly later: (action: () => void, milliseconds: number) => () => void;
}

export class Playback {
  readonly #events: readonly CastEvent[];
  readonly #speed: number;
  readonly #parts: PlaybackParts;
  #next = 0;
  /**
   * While running: when the recording would have started at this speed. While paused: the position in
   * seconds.
   */
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

  /** Plays the next output immediately, then pauses. */
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

  /** Returns the position in the recording, in seconds. */
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
