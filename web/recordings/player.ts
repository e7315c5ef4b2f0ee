// Owns replaying a recording: position, pausing, speed, seeking. Pure except for its clock: writes
// due output to the given screen. Does not draw.

import { signal } from "@preact/signals";
import type { Cast, CastEvent } from "../../protocol/asciicast.ts";
import { parseCastSize } from "../../protocol/asciicast.ts";

/** The screen that shows a recording. */
export interface PlayerScreen {
  reset(cols: number, rows: number): void;
  resize(cols: number, rows: number): void;
  /** Resolves when the data is on the screen. */
  write(data: string): Promise<void>;
}

/** Characters per write while seeking: an emulator drops input when it gets too much at once. */
const PIECE_CHARS = 1 << 18;

export class Player {
  /** Seconds. */
  readonly position = signal(0);
  readonly isPlaying = signal(false);
  readonly speed = signal(1);
  readonly cast: Cast;
  readonly #screen: PlayerScreen;
  /** Returns milliseconds. */
  readonly #now: () => number;
  #next = 0;
  /** When the position was last updated. */
  #updatedAt = 0;
  /** Counts seeks, so that an outdated seek stops. */
  #seekCount = 0;
  #isSeeking = false;

  constructor(cast: Cast, screen: PlayerScreen, now: () => number) {
    this.cast = cast;
    this.#screen = screen;
    this.#now = now;
    screen.reset(cast.cols, cast.rows);
  }

  get markers(): readonly CastEvent[] {
    return this.cast.events.filter(({ code }) => code === "m");
  }

  toggle(): void {
    if (this.isPlaying.peek()) return this.pause();
    if (this.position.peek() >= this.cast.duration) void this.seek(0);
    this.#updatedAt = this.#now();
    this.isPlaying.value = true;
    return undefined;
  }

  pause(): void {
    this.tick();
    this.isPlaying.value = false;
  }

  /** Writes what has become due since the last frame. */
  tick(): void {
    const now = this.#now();
    const passed = ((now - this.#updatedAt) / 1_000) * this.speed.peek();
    this.#updatedAt = now;
    if (!this.isPlaying.peek() || this.#isSeeking) return;
    const { duration, events } = this.cast;
    const position = Math.min(duration, this.position.peek() + passed);
    for (
      let event = events[this.#next];
      event && event.at <= position;
      event = events[this.#next]
    ) {
      this.#next += 1;
      this.#show(event);
    }
    this.position.value = position;
    if (position >= duration) this.isPlaying.value = false;
  }

  /** Advances to the next output. */
  step(): void {
    this.pause();
    const { events } = this.cast;
    for (let event = events[this.#next]; event; event = events[this.#next]) {
      this.#next += 1;
      this.position.value = event.at;
      this.#show(event);
      if (event.code === "o") return;
    }
  }

  async seek(to: number): Promise<void> {
    const position = Math.max(0, Math.min(this.cast.duration, to));
    const isBack = position < this.position.peek();
    this.position.value = position;
    const seekCount = ++this.#seekCount;
    this.#isSeeking = true;
    if (isBack) {
      this.#next = 0;
      this.#screen.reset(this.cast.cols, this.cast.rows);
    }
    await this.#catchUp(position, seekCount);
    if (seekCount !== this.#seekCount) return;
    this.#isSeeking = false;
    this.#updatedAt = this.#now();
  }

  async #catchUp(position: number, seekCount: number): Promise<void> {
    const { events } = this.cast;
    let waiting = "";
    for (
      let event = events[this.#next];
      event && event.at <= position;
      event = events[this.#next]
    ) {
      this.#next += 1;
      if (event.code === "o") waiting += event.data;
      if (event.code === "r" || waiting.length > PIECE_CHARS) {
        await this.#screen.write(waiting);
        if (seekCount !== this.#seekCount) return;
        waiting = "";
        if (event.code === "r") this.#show(event);
      }
    }
    await this.#screen.write(waiting);
  }

  #show({ code, data }: CastEvent): void {
    if (code === "o") void this.#screen.write(data);
    const size = code === "r" ? parseCastSize(data) : undefined;
    if (size) this.#screen.resize(size.cols, size.rows);
  }
}
