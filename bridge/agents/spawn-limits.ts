// Owns how often and how many: the seed's spawn rate and concurrency, over the whole workspace, and
// the rate of refused attempts per grant. Decides and counts; starts nothing. The clock comes in.

export const SPAWNS_PER_MINUTE = 3;
export const CONCURRENT_TERMINALS = 5;
/** Beyond this a client is guessing, not working. */
export const REFUSALS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

export type Decision =
  | { readonly ok: true; readonly slot: Slot }
  | { readonly ok: false; readonly error: string; readonly retryAfterMs: number | undefined };

/** A place taken before the process is there, so that those who come meanwhile see it. */
export interface Slot {
  /** It was started: it counts for the next minute. */
  keep(): void;
  /** It was not: as if nobody had asked. */
  release(): void;
}

export class SpawnLimits {
  readonly #now: () => number;
  /** When each counted spawn was asked for; pending ones too. */
  #spawns: number[] = [];
  #pending = 0;
  readonly #refusals = new Map<string, number[]>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** `running` are the agents' terminals that have not exited, promoted ones among them. */
  take(running: number): Decision {
    const now = this.#now();
    this.#spawns = within(this.#spawns, now);
    if (this.#spawns.length >= SPAWNS_PER_MINUTE) {
      const error = `Spawn rate limit exceeded (max ${SPAWNS_PER_MINUTE}/minute)`;
      return { ok: false, error, retryAfterMs: (this.#spawns[0] ?? now) + MINUTE_MS - now };
    }
    if (running + this.#pending >= CONCURRENT_TERMINALS) {
      const error = `Maximum concurrent agent terminals reached (${CONCURRENT_TERMINALS})`;
      return { ok: false, error, retryAfterMs: undefined };
    }
    this.#spawns.push(now);
    this.#pending++;
    return { ok: true, slot: this.#slot(now) };
  }

  /** Counts a refusal; answers when to come back if there were too many, else undefined. */
  refused(grant: string): number | undefined {
    const now = this.#now();
    const recent = within(this.#refusals.get(grant) ?? [], now);
    recent.push(now);
    this.#refusals.set(grant, recent.slice(-REFUSALS_PER_MINUTE - 1));
    return this.tooManyRefusals(grant);
  }

  /** Milliseconds until this grant may try again, if it was refused too often. */
  tooManyRefusals(grant: string): number | undefined {
    const now = this.#now();
    const recent = within(this.#refusals.get(grant) ?? [], now);
    if (recent.length <= REFUSALS_PER_MINUTE) return undefined;
    return (recent[0] ?? now) + MINUTE_MS - now;
  }

  #slot(at: number): Slot {
    let open = true;
    const settle = (kept: boolean) => {
      if (!open) return;
      open = false;
      this.#pending--;
      if (kept) return;
      const index = this.#spawns.indexOf(at);
      if (index >= 0) this.#spawns.splice(index, 1);
    };
    return { keep: () => settle(true), release: () => settle(false) };
  }
}

function within(times: readonly number[], now: number): number[] {
  return times.filter((time) => now - time < MINUTE_MS);
}
