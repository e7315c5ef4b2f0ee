// Owns how long an answer takes, and whether that is worth guessing it. Pure: times come in.

/** As mosh does: on above, off below, and as it was in between. */
const SLOW_MS = 30;
const QUICK_MS = 20;

/** The middle of so many: a program that thinks before it answers is no slow network. */
const KEPT = 5;
const MOST_MS = 5_000;

/** Behind a pause of so many answers a key is alone: what comes next is the answer to it. */
const PAUSE = 2;
const MOST_PAUSE_MS = 1_000;

export class Pace {
  readonly #samples: number[] = [];
  #isSlow = false;
  /** Of the key whose answer is timed. */
  #timedAt: number | undefined;
  #sentAt = -Infinity;

  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** The longest of late. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  /** A key was sent. Among others, the answer to one of them would be taken for the answer to it. */
  sent(now: number): void {
    if (!this.isAwaiting(now)) this.#timedAt = now;
    this.#sentAt = now;
  }

  /** Something came back. */
  answered(now: number): void {
    if (this.#timedAt !== undefined) this.took(now - this.#timedAt);
    this.#timedAt = undefined;
  }

  /** Whether answers to keys may be on their way. */
  isAwaiting(now: number): boolean {
    if (this.#timedAt !== undefined) return true;
    return now - this.#sentAt <= Math.min(PAUSE * this.worstMs, MOST_PAUSE_MS);
  }

  /** Another screen: nothing that comes now is an answer. */
  forget(): void {
    this.#timedAt = undefined;
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
