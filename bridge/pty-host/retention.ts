// Owns the pure rules for what is kept of a finished terminal, and for how long. Clocks are
// arguments; terminal.ts and pool.ts apply them.

/** Number of finished terminals that stay readable. */
export const KEPT_FINISHED = 20;
export const KEPT_MS = 10 * 60_000;

/**
 * Sent bytes may be lost on the way, and a viewer may have to reconnect: everything is kept for
 * this long after the last byte was sent or the reader stopped.
 */
export const CLAIM_MS = 30_000;

export interface Finished {
  readonly handle: number;
  readonly endedAt: number;
  /** A reader has not got everything yet: newer terminals do not displace it. */
  readonly owed: boolean;
  /** Kept until the bridge drops it. */
  readonly pinned: boolean;
}

/** Returns the finished terminals to drop now. */
export function toForget(finished: readonly Finished[], now: number): number[] {
  const newestFirst = finished.filter(({ pinned }) => !pinned);
  newestFirst.sort((a, b) => b.endedAt - a.endedAt || b.handle - a.handle);
  return newestFirst
    .filter((one, rank) => now - one.endedAt >= KEPT_MS || (rank >= KEPT_FINISHED && !one.owed))
    .map((one) => one.handle);
}

export interface Claim {
  /** Whether a bridge is connected. If not, the next one may need everything (rule H9). */
  readonly connected: boolean;
  /** A reader has not got everything yet; it may be waiting for its link. */
  readonly owed: boolean;
  /** The latest of: the exit, the bridge's connection, the last bytes sent, the reader's stop. */
  readonly quietSince: number;
}

/** Whether the replay buffer of a finished terminal may be cut to its history. */
export function mayCut(claim: Claim, now: number): boolean {
  return claim.connected && !claim.owed && now - claim.quietSince >= CLAIM_MS;
}
