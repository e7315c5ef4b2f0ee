// Owns when local echo is active for a terminal, by the measured latency and the user's setting, and loads the
// prediction code when it is first needed.

import { effect } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { settings } from "../../settings/settings.ts";
import { Pace } from "./pace.ts";
import type { Prediction } from "./prediction.ts";

export interface AheadRules {
  /** Whether predicting is allowed: no other person types here. */
  readonly mayGuess: () => boolean;
  /** Whether the emulator is parsing a replay. */
  readonly isReplay: () => boolean;
}

export class Ahead {
  readonly #term: Terminal;
  readonly #rules: AheadRules;
  readonly #pace = new Pace();
  readonly #unwatch: () => void;
  #guessing: Prediction | undefined;
  #isLoading = false;
  #isDisposed = false;

  constructor(term: Terminal, rules: AheadRules) {
    this.#term = term;
    this.#rules = rules;
    this.#unwatch = effect(() => {
      if (settings.value.prediction === "always") void this.#load();
      this.#draw();
    });
  }

  /** Resets after attaching; takes the connection's measured round trip as the first sample. */
  arrived(roundTripMs: number | undefined): void {
    this.#guessing?.reset();
    if (roundTripMs === undefined) return;
    this.#pace.took(roundTripMs);
    if (this.#isWanted()) void this.#load();
  }

  typed(data: string): void {
    this.#pace.sent(performance.now());
    if (!this.#rules.mayGuess()) return this.#guessing?.reset();
    if (this.#guessing) this.#guessing.typed(data);
    else if (this.#isWanted()) void this.#load();
    return this.#draw();
  }

  /** Handles output that the emulator has parsed. */
  wrote(): void {
    this.#pace.answered(performance.now());
    if (!this.#guessing) return;
    this.#guessing.wrote(this.#pace.worstMs);
    this.#draw();
  }

  /** Discards predictions after a reset or resize of the screen. */
  reset(): void {
    this.#pace.forget();
    this.#guessing?.reset();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#unwatch();
    this.#guessing?.dispose();
  }

  #isWanted(): boolean {
    const setting = settings.peek().prediction;
    return setting === "always" || (setting === "auto" && this.#pace.isSlow);
  }

  #draw(): void {
    this.#guessing?.draw(this.#isWanted());
  }

  async #load(): Promise<void> {
    if (this.#guessing || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { Prediction } = await import("./prediction.ts");
      if (this.#isDisposed) return;
      this.#guessing = new Prediction(
        this.#term,
        this.#pace.isAwaiting(performance.now()),
        this.#rules.isReplay,
      );
    } catch {
      // Typing works without it; the next key tries again.
    }
    this.#isLoading = false;
  }
}
