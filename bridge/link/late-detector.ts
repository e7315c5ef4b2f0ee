// Owns the freshness of one link: whether a message of the room waited too long to act on, as after
// a sleep of this machine. The decisions are pure, in freshness.ts; this holds their state and reads
// the clocks. Sends nothing itself.

import type { Clocks, Freshness } from "./freshness.ts";
import {
  applyNudgeAnswer,
  countsAsLate,
  endExtension,
  extendDoubt,
  isFarFromNow,
  isOffsetOld,
  startDoubt,
  startFreshness,
  wasSuspended,
} from "./freshness.ts";
import type { NudgeAnswer } from "./nudge-exchange.ts";

export interface LateDetectorDeps {
  /** Whether the relay is on this machine, and sleeps with it. */
  readonly isNear: boolean;
  /** Nudges the room and returns the nudge's number; undefined if the link is not up. */
  readonly startDoubt: (reason: string) => number | undefined;
}

export class LateDetector {
  readonly #deps: LateDetectorDeps;
  #freshness: Freshness = startFreshness(0, readClocks());

  constructor(deps: LateDetectorDeps) {
    this.#deps = deps;
  }

  /** Starts over with a new link; `roomNow` is the room's time, if it sent one. */
  restart(roomNow: number | undefined): void {
    const now = readClocks();
    this.#freshness = startFreshness(roomNow ?? now.wall, now);
  }

  /**
   * Whether a message with the room's timestamp `at` is too old to act on. If so, every message
   * counts as late until the room answers a nudge that is sent now.
   */
  isLate(at: number): boolean {
    const clocks = readClocks();
    if (countsAsLate(this.#freshness, clocks)) return true;
    if (!isFarFromNow(this.#freshness, at, clocks)) return false;
    this.#doubt("the room's messages come late");
    return true;
  }

  /** Checks, before any received frame is handled, whether this process was suspended. */
  detectSuspend(clocks = readClocks()): void {
    if (!wasSuspended(this.#freshness, clocks)) return;
    this.#doubt("this process was suspended");
    // One gap starts one doubt: the next frame may come before the timer fires.
    this.#freshness = { ...this.#freshness, tick: clocks };
    if (this.#deps.isNear) this.#freshness = extendDoubt(this.#freshness, clocks);
  }

  /** Records a tick of the link's timer. Returns whether the room's clock must be learned again. */
  tick(): boolean {
    const clocks = readClocks();
    // The timer may run before queued frames are handled and must not hide the gap from them.
    this.detectSuspend(clocks);
    this.#freshness = { ...this.#freshness, tick: clocks };
    return isOffsetOld(this.#freshness, clocks);
  }

  onNudgeAnswer(answer: NudgeAnswer | undefined): void {
    if (answer === undefined) return;
    this.#freshness = applyNudgeAnswer(this.#freshness, answer, readClocks());
  }

  onGreetAgain(): void {
    this.#freshness = endExtension(this.#freshness);
  }

  #doubt(reason: string): void {
    if (this.#freshness.doubtedUntil !== undefined) return;
    const number = this.#deps.startDoubt(reason);
    if (number !== undefined) this.#freshness = startDoubt(this.#freshness, number);
  }
}

function readClocks(): Clocks {
  return { wall: Date.now(), monotonic: performance.now() };
}
