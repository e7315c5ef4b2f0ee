// Owns the concurrency limits of one service. No rates: the program decides how often it calls.
// Counts; starts nothing.

import type { SlotDecision } from "../pipeline/slots.ts";
import type { AgentLane } from "../terminals/spawn-plan.ts";

/** Enough for a program with many agents; stops a loop that starts them. */
export const MAX_COMMANDS = 32;
export const MAX_SESSIONS = 32;

const MAX_BY_LANE: Readonly<Record<AgentLane, number>> = {
  command: MAX_COMMANDS,
  session: MAX_SESSIONS,
  background: 0,
  acp: 0,
};

export class ConcurrencyLimits {
  readonly #running = new Map<AgentLane, number>();

  take(lane: AgentLane): SlotDecision {
    const full = this.whyFull(lane);
    if (full !== undefined) return full;
    this.#add(lane, 1);
    let isTaken = true;
    const release = () => {
      if (isTaken) this.#add(lane, -1);
      isTaken = false;
    };
    // `release` gives it back when the process has ended.
    return { ok: true, slot: { keep: () => {}, release } };
  }

  whyFull(lane: AgentLane): Extract<SlotDecision, { ok: false }> | undefined {
    const most = MAX_BY_LANE[lane];
    if ((this.#running.get(lane) ?? 0) < most) return undefined;
    const error = `this service already runs ${most} ${lane}s; wait for one to end`;
    return { ok: false, error, retryAfterMs: undefined };
  }

  /** Gives a place back after its process has ended. */
  release(lane: AgentLane): void {
    this.#add(lane, -1);
  }

  /** Ignores refusals: the program itself decides how often it calls. */
  countRefusal(): void {}

  tooManyRefusals(): undefined {
    return undefined;
  }

  #add(lane: AgentLane, count: number): void {
    this.#running.set(lane, Math.max(0, (this.#running.get(lane) ?? 0) + count));
  }
}
