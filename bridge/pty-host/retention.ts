// Owns the pure rules for what is kept of a finished terminal, and for how long. Clocks are
// arguments; terminal.ts and pool.ts apply them.

/** Number of finished terminals that stay readable. */
export const MAX_FINISHED = 20;
export const MAX_FINISHED_MS = 10 * 60_000;

/**
 * Sent bytes may be lost on the way, and a viewer may have to reconnect: everything is kept for
 * this long after the last byte was sent or the reader stopped.
 */
export const CLAIM_MS = 30_000;

export interface FinishedTerminal {
  readonly handle: number;
  readonly endedAt: number;
  /** A reader has not got everything yet: newer terminals do not displace it. */
  readonly hasUnsent: boolean;
  /** Kept until the bridge drops it. */
  readonly isKept: boolean;
}

/** Returns the finished terminals to drop now. */
export function listExpired(finished: readonly FinishedTerminal[], now: number): number[] {
  const newestFirst = finished.filter(({ isKept }) => !isKept);
  newestFirst.sort((a, b) => b.endedAt - a.endedAt || b.handle - a.handle);
  return newestFirst
    .filter(
      (one, rank) =>
        now - one.endedAt >= MAX_FINISHED_MS || (rank >= MAX_FINISHED && !one.hasUnsent),
    )
    .map((one) => one.handle);
}

export interface ReadClaim {
  /** Whether a bridge is connected. If not, the next one may need everything (rule H9). */
  readonly connected: boolean;
  /** A reader has not got everything yet; it may be waiting for its link. */
  readonly hasUnsent: boolean;
  /** The latest of: the exit, the bridge's connection, the last bytes sent, the reader's stop. */
  readonly quietSince: number;
}

/** Whether the replay buffer of a finished terminal may be cut to its history. */
export function canCut(claim: ReadClaim, now: number): boolean {
  return claim.connected && !claim.hasUnsent && now - claim.quietSince >= CLAIM_MS;
}
