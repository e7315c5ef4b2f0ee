// Owns how long an answer takes, and whether that is worth guessing it. Pure.

/** As mosh does: on above, off below, and as it was in between. */
const SLOW_MS = 30;
const QUICK_MS = 20;

/** The middle of so many: a program that thinks before it answers is no slow network. */
const KEPT = 5;
const MOST_MS = 5_000;

export class Pace {
  readonly #samples: number[] = [];
  #isSlow = false;

  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** The longest of late. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  took(milliseconds: number): void {
    if (milliseconds > MOST_MS) return;
    this.#samples.push(milliseconds);
    if (this.#samples.length > KEPT) this.#samples.shift();
    const sorted = this.#samples.toSorted((a, b) => a - b);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    if (middle > SLOW_MS) this.#isSlow = true;
    else if (middle < QUICK_MS) this.#isSlow = false;
  }
}
