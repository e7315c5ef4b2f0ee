// Owns the rate and concurrency limits of each lane over the whole workspace, and the rate of
// refused attempts per grant. Counts; starts nothing. The clock comes in.

import type { AgentLane } from "../terminals/spawn-plan.ts";

interface Limits {
  readonly perMinute: number;
  readonly maxConcurrent: number;
}

/**
 * The tight limits are for long-running terminals; short commands have their own, so that five
 * servers do not block `ls`.
 */
export const LIMITS = {
  background: { perMinute: 3, maxConcurrent: 5 },
  command: { perMinute: 60, maxConcurrent: 8 },
  acp: { perMinute: 60, maxConcurrent: 16 },
} as const satisfies Record<string, Limits>;

type Counter = keyof typeof LIMITS;

/** Lanes that share a counter. */
const COUNTERS: Readonly<Record<AgentLane, Counter>> = {
  background: "background",
  session: "background",
  command: "command",
  acp: "acp",
};

/** Beyond this rate a client is guessing. */
export const REFUSALS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

export type SlotDecision =
  | { readonly ok: true; readonly slot: Slot }
  | { readonly ok: false; readonly error: string; readonly retryAfterMs: number | undefined };

/** A place reserved before the process exists, so that concurrent calls count it. */
export interface Slot {
  /** Confirms the start; it counts for the next minute. */
  keep(): void;
  /** Gives the place back if nothing was started. */
  release(): void;
}

interface LaneCount {
  /** Request times of the counted starts, including pending ones. */
  spawns: number[];
  pending: number;
}

export class Slots {
  readonly #running: (lane: AgentLane) => number;
  readonly #now: () => number;
  readonly #counted: Record<Counter, LaneCount> = {
    background: { spawns: [], pending: 0 },
    command: { spawns: [], pending: 0 },
    acp: { spawns: [], pending: 0 },
  };
  readonly #refusals = new Map<string, number[]>();

  /** `running` counts a lane's terminals that have not exited, without promoted ones. */
  constructor(running: (lane: AgentLane) => number, now: () => number = Date.now) {
    this.#running = running;
    this.#now = now;
  }

  take(lane: AgentLane): SlotDecision {
    const refusal = this.whyFull(lane);
    if (refusal !== undefined) return refusal;
    const counted = this.#counted[COUNTERS[lane]];
    const now = this.#now();
    counted.spawns.push(now);
    counted.pending++;
    return { ok: true, slot: createSlot(counted, now) };
  }

  /** Returns why no slot is free; undefined if one is. Checked before a person is asked. */
  whyFull(lane: AgentLane): Extract<SlotDecision, { ok: false }> | undefined {
    const counter = COUNTERS[lane];
    const { perMinute, maxConcurrent } = LIMITS[counter];
    const counted = this.#counted[counter];
    const now = this.#now();
    counted.spawns = withinMinute(counted.spawns, now);
    if (counted.spawns.length >= perMinute) {
      const error = `Spawn rate limit exceeded (max ${perMinute}/minute)`;
      return { ok: false, error, retryAfterMs: (counted.spawns[0] ?? now) + MINUTE_MS - now };
    }
    if (this.#countRunning(counter) + counted.pending >= maxConcurrent) {
      const error = `Maximum concurrent agent terminals reached (${maxConcurrent})`;
      return { ok: false, error, retryAfterMs: undefined };
    }
    return undefined;
  }

  countRefusal(grant: string): void {
    const now = this.#now();
    const recent = withinMinute(this.#refusals.get(grant) ?? [], now);
    recent.push(now);
    this.#refusals.set(grant, recent.slice(-REFUSALS_PER_MINUTE - 1));
  }

  /** Returns the milliseconds until this grant may try again, if it was refused too often. */
  tooManyRefusals(grant: string): number | undefined {
    const now = this.#now();
    const recent = withinMinute(this.#refusals.get(grant) ?? [], now);
    if (recent.length <= REFUSALS_PER_MINUTE) return undefined;
    return (recent[0] ?? now) + MINUTE_MS - now;
  }

  #countRunning(counter: Counter): number {
    let running = 0;
    for (const lane of AGENT_LANES) if (COUNTERS[lane] === counter) running += this.#running(lane);
    return running;
  }
}

const AGENT_LANES: readonly AgentLane[] = ["background", "session", "command", "acp"];

function createSlot(counted: LaneCount, at: number): Slot {
  let open = true;
  const settle = (kept: boolean) => {
    if (!open) return;
    open = false;
    counted.pending--;
    const index = kept ? -1 : counted.spawns.indexOf(at);
    if (index >= 0) counted.spawns.splice(index, 1);
  };
  return { keep: () => settle(true), release: () => settle(false) };
}

function withinMinute(times: readonly number[], now: number): number[] {
  return times.filter((time) => now - time < MINUTE_MS);
}
