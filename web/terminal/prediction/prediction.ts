// Owns one terminal's predictions: passes keys and output to the predictor and draws the result. Loaded when
// first needed.

import type { IDisposable, Terminal } from "@xterm/xterm";
import { lookAt } from "./look.ts";
import { Overlay } from "./overlay.ts";
import { Predictor } from "./predictor.ts";

/** A prediction expires after 1.5 times the slowest recent answer, at least half a second. */
const LEAST_PATIENCE_MS = 500;
const PATIENCE = 1.5;

const MARKED_PASTES = 2004;

export class Prediction {
  readonly #term: Terminal;
  readonly #predictor = new Predictor();
  readonly #overlay: Overlay;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDrawn = false;

  /**
   * `isLate`: whether keys were sent before this was loaded and are unanswered. `isReplay`: whether the
   * emulator is parsing a replay.
   */
  constructor(term: Terminal, isLate: boolean, isReplay: () => boolean) {
    this.#term = term;
    this.#overlay = new Overlay(term);
    this.#listeners = [
      term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (modes) => {
        if (modes.includes(MARKED_PASTES) && !isReplay())
          this.#predictor.prompted(performance.now());
        return false;
      }),
      term.onScroll(() => this.draw(this.#isDrawn)),
    ];
    if (isLate) this.#predictor.missed(lookAt(term), performance.now());
  }

  typed(data: string): void {
    this.#predictor.typed(data, lookAt(this.#term), performance.now());
    this.#await();
  }

  wrote(worstMs: number): void {
    this.#predictor.patienceMs = Math.max(LEAST_PATIENCE_MS, worstMs * PATIENCE);
    this.#predictor.wrote(lookAt(this.#term), performance.now());
    this.#await();
  }

  reset(): void {
    const isAnswered = this.#predictor.dueAt === undefined;
    this.#predictor.reset();
    if (!isAnswered) this.#predictor.missed(lookAt(this.#term), performance.now());
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

  #await(): void {
    clearTimeout(this.#timer);
    const { dueAt } = this.#predictor;
    if (dueAt === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#predictor.tick(performance.now());
        this.draw(this.#isDrawn);
        this.#await();
      },
      Math.max(1, dueAt - performance.now()),
    );
  }
}
