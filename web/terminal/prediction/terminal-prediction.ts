// Owns one terminal's predictions: passes keys and output to the predictor and draws the result. Loaded when
// first needed.

import type { IDisposable, Terminal } from "@xterm/xterm";
import { readCursorRow } from "./cursor-row.ts";
import { PredictionOverlay } from "./prediction-overlay.ts";
import { Predictor } from "./predictor.ts";

/** A prediction expires after 1.5 times the slowest recent answer, at least half a second. */
const MIN_TIMEOUT_MS = 500;
const TIMEOUT_FACTOR = 1.5;

const BRACKETED_PASTE_MODE = 2004;

export class Prediction {
  readonly #term: Terminal;
  readonly #predictor = new Predictor();
  readonly #overlay: PredictionOverlay;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDrawn = false;

  /**
   * `isLate`: whether keys were sent before this was loaded and are unanswered. `isReplay`: whether the
   * emulator is parsing a replay.
   */
  constructor(term: Terminal, isLate: boolean, isReplay: () => boolean) {
    this.#term = term;
    this.#overlay = new PredictionOverlay(term);
    this.#listeners = [
      term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (modes) => {
        if (modes.includes(BRACKETED_PASTE_MODE) && !isReplay())
          this.#predictor.onPrompt(performance.now());
        return false;
      }),
      term.onScroll(() => this.draw(this.#isDrawn)),
    ];
    if (isLate) this.#predictor.onMissedInput(readCursorRow(term), performance.now());
  }

  onSent(data: string): void {
    this.#predictor.onSent(data, readCursorRow(this.#term), performance.now());
    this.#scheduleTick();
  }

  onOutput(worstMs: number): void {
    this.#predictor.timeoutMs = Math.max(MIN_TIMEOUT_MS, worstMs * TIMEOUT_FACTOR);
    this.#predictor.onOutput(readCursorRow(this.#term), performance.now());
    this.#scheduleTick();
  }

  reset(): void {
    const isAnswered = this.#predictor.dueAt === undefined;
    this.#predictor.reset();
    if (!isAnswered) this.#predictor.onMissedInput(readCursorRow(this.#term), performance.now());
    this.draw(this.#isDrawn);
  }

  /** Draws the current prediction; clears it if not wanted. */
  draw(isWanted: boolean): void {
    this.#isDrawn = isWanted;
    this.#overlay.show(isWanted ? this.#predictor.guess : undefined);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.dispose();
    this.#overlay.dispose();
  }

  #scheduleTick(): void {
    clearTimeout(this.#timer);
    const { dueAt } = this.#predictor;
    if (dueAt === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#predictor.tick(performance.now());
        this.draw(this.#isDrawn);
        this.#scheduleTick();
      },
      Math.max(1, dueAt - performance.now()),
    );
  }
}
