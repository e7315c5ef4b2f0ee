// Plays a recording in time: due events, pause, step. Clock, timer and output are injected. Returns
// the escape sequences that prepare the window for a recording and restore it afterwards.

import type { Cast, CastEvent } from "../../../protocol/asciicast.ts";

export interface PlaybackDeps {
  readonly write: (data: string) => void;
  /** Fires when everything was played. */
  readonly onDone: () => void;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  readonly setTimer: (action: () => void, milliseconds: number) => () => void;
}

export class Playback {
  readonly #events: readonly CastEvent[];
  readonly #speed: number;
  readonly #deps: PlaybackDeps;
  #next = 0;
  /**
   * While running: when the recording would have started at this speed. While paused: the position in
   * seconds.
   */
  #clock: { readonly is: "running"; readonly from: number } | { is: "paused"; at: number };
  #cancel: () => void = () => {};

  constructor({ events }: Pick<Cast, "events">, speed: number, deps: PlaybackDeps) {
    this.#events = events.filter(({ code }) => code === "o");
    this.#speed = speed;
    this.#deps = deps;
    this.#clock = { is: "paused", at: 0 };
  }

  get isPaused(): boolean {
    return this.#clock.is === "paused";
  }

  start(): void {
    if (this.#clock.is === "running") return;
    const played = (this.#clock.at * 1_000) / this.#speed;
    this.#clock = { is: "running", from: this.#deps.now() - played };
    this.#play();
  }

  pause(): void {
    if (this.#clock.is === "paused") return;
    this.#cancel();
    this.#clock = { is: "paused", at: this.#getPosition(this.#clock.from) };
  }

  toggle(): void {
    if (this.isPaused) this.start();
    else this.pause();
  }

  /** Plays the next output immediately, then pauses. */
  step(): void {
    this.pause();
    const event = this.#events[this.#next];
    if (event === undefined) return this.#deps.onDone();
    this.#next += 1;
    this.#clock = { is: "paused", at: event.at };
    return this.#deps.write(event.data);
  }

  stop(): void {
    this.#cancel();
    this.#next = this.#events.length;
  }

  /** Returns the position in the recording, in seconds. */
  #getPosition(from: number): number {
    return ((this.#deps.now() - from) / 1_000) * this.#speed;
  }

  #play(): void {
    if (this.#clock.is === "paused") return;
    const at = this.#getPosition(this.#clock.from);
    let event = this.#events[this.#next];
    while (event !== undefined && event.at <= at) {
      this.#next += 1;
      this.#deps.write(event.data);
      event = this.#events[this.#next];
    }
    if (event === undefined) return this.#deps.onDone();
    const wait = ((event.at - at) * 1_000) / this.#speed;
    this.#cancel = this.#deps.setTimer(() => this.#play(), wait);
  }
}

interface WindowHeight {
  readonly rows: number;
}

const ESC = "\u001B";

/**
 * Resets modes that a recording may leave set: colours, charsets, margins, alternate screen, hidden
 * cursor, mouse reports, key modes. Does not move the cursor or clear.
 */
const RESTORE = [
  `${ESC}[?1049l`,
  `${ESC}7${ESC}[r${ESC}[?69l${ESC}8`,
  `${ESC}[0m${ESC}(B\u000F`,
  `${ESC}[?25h${ESC}[?7h${ESC}[?1l${ESC}>${ESC}[4l${ESC}[?6l${ESC}[?5l`,
  `${ESC}[?9l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1004l${ESC}[?1006l`,
  `${ESC}[?2004l${ESC}[?2026l${ESC}[<u${ESC}[0 q${ESC}]8;;${ESC}\\`,
].join("");

/**
 * Returns text that empties the screen. Scrolls old content up instead of clearing, so that it stays
 * readable.
 */
export function emptyScreen({ rows }: WindowHeight): string {
  return `${ESC}[0m${"\n".repeat(rows)}${ESC}[H${ESC}[J`;
}

/** Returns text that keeps the recording's last screen and moves below it. */
export function leaveScreen(window: WindowHeight, recording: WindowHeight): string {
  return `${RESTORE}${ESC}[${Math.min(window.rows, recording.rows)};1H\n`;
}
