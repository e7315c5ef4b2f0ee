// Owns measuring how long echoes take, and whether that is slow enough for local echo. Pure: times are arguments.

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
