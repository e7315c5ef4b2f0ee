// Owns when local echo is active for a terminal, by the measured latency and the user's setting, and loads the
// prediction code when it is first needed.

import { effect } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { settings } from "../../settings/settings.ts";
import { EchoLatency } from "./echo-latency.ts";
import type { Prediction } from "./terminal-prediction.ts";

export interface LocalEchoDeps {
  /** Whether predicting is allowed: no other person types here. */
  readonly canPredict: () => boolean;
  /** Whether the emulator is parsing a replay. */
  readonly isReplay: () => boolean;
}

export class LocalEcho {
  readonly #term: Terminal;
  readonly #deps: LocalEchoDeps;
  readonly #latency = new EchoLatency();
  readonly #unwatch: () => void;
  #prediction: Prediction | undefined;
  #isLoading = false;
  #isDisposed = false;

  constructor(term: Terminal, deps: LocalEchoDeps) {
    this.#term = term;
    this.#deps = deps;
    this.#unwatch = effect(() => {
      if (settings.value.prediction === "always") void this.#load();
      this.#draw();
    });
  }

  /** Resets after attaching; takes the connection's measured round trip as the first sample. */
  onAttached(roundTripMs: number | undefined): void {
    this.#prediction?.reset();
    if (roundTripMs === undefined) return;
    this.#latency.addSample(roundTripMs);
    if (this.#isWanted()) void this.#load();
  }

  onSent(data: string): void {
    this.#latency.onSent(performance.now());
    if (!this.#deps.canPredict()) return this.#prediction?.reset();
    if (this.#prediction) this.#prediction.onSent(data);
    else if (this.#isWanted()) void this.#load();
    return this.#draw();
  }

  /** Handles output that the emulator has parsed. */
  onOutput(): void {
    this.#latency.onAnswered(performance.now());
    if (!this.#prediction) return;
    this.#prediction.onOutput(this.#latency.worstMs);
    this.#draw();
  }

  /** Discards predictions after a reset or resize of the screen. */
  reset(): void {
    this.#latency.cancelTiming();
    this.#prediction?.reset();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#unwatch();
    this.#prediction?.dispose();
  }

  #isWanted(): boolean {
    const setting = settings.peek().prediction;
    return setting === "always" || (setting === "auto" && this.#latency.isSlow);
  }

  #draw(): void {
    this.#prediction?.draw(this.#isWanted());
  }

  async #load(): Promise<void> {
    if (this.#prediction || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { Prediction } = await import("./terminal-prediction.ts");
      if (this.#isDisposed) return;
      this.#prediction = new Prediction(
        this.#term,
        this.#latency.isAwaiting(performance.now()),
        this.#deps.isReplay,
      );
    } catch {
      // Typing works without it; the next key tries again.
    }
    this.#isLoading = false;
  }
}
