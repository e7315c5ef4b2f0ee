// Owns when local echo is active for a terminal, by the measured latency and the user's setting,
// and loads the prediction code when it is first needed. Also owns measuring how long echoes take,
// and whether that is slow enough for local echo. Pure: times are arguments.

import { effect } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { settings } from "../../settings/settings.ts";
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

/** Hysteresis as in mosh: on above the first, off below the second, unchanged in between. */
const SLOW_MS = 30;
const QUICK_MS = 20;

/** Samples for the median, so that one slow program does not count as a slow network. */
const MAX_SAMPLES = 5;
const MAX_SAMPLE_MS = 5_000;

/** After a pause of so many round trips, the next output answers the next key. */
const PAUSE_FACTOR = 2;
const MAX_PAUSE_MS = 1_000;

export class EchoLatency {
  readonly #samples: number[] = [];
  #isSlow = false;
  /** When the key was sent whose answer is being timed. */
  #timedAt: number | undefined;
  #sentAt = -Infinity;

  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Longest recent sample. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  /**
   * Records a sent key. Times it only if no earlier key is unanswered: its echo would be taken for
   * this one.
   */
  onSent(now: number): void {
    if (!this.isAwaiting(now)) this.#timedAt = now;
    this.#sentAt = now;
  }

  /** Records output: the answer to the timed key. */
  onAnswered(now: number): void {
    if (this.#timedAt !== undefined) this.addSample(now - this.#timedAt);
    this.#timedAt = undefined;
  }

  /** Whether answers to sent keys may still arrive. */
  isAwaiting(now: number): boolean {
    if (this.#timedAt !== undefined) return true;
    return now - this.#sentAt <= Math.min(PAUSE_FACTOR * this.worstMs, MAX_PAUSE_MS);
  }

  /** Stops timing after a reset of the screen: the next output is not an answer. */
  cancelTiming(): void {
    this.#timedAt = undefined;
  }

  addSample(milliseconds: number): void {
    if (milliseconds > MAX_SAMPLE_MS) return;
    this.#samples.push(milliseconds);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    const sorted = this.#samples.toSorted((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    if (median > SLOW_MS) this.#isSlow = true;
    else if (median < QUICK_MS) this.#isSlow = false;
  }
}
