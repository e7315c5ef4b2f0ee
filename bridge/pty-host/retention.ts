// Owns the pure rules of what stays of a finished terminal, and for how long.
// Clocks come in as arguments; terminal.ts and pool.ts do what is decided here.

/** Finished terminals that stay readable. */
export const KEPT_FINISHED = 20;
export const KEPT_MS = 10 * 60_000;

/**
 * What was sent may be lost on its way, and a viewer may have to dial again: for so long after the
 * last byte left, or the reader did, everything is there for whoever comes back.
 */
export const CLAIM_MS = 30_000;

export interface Finished {
  readonly handle: number;
  readonly endedAt: number;
  /** A reader has bytes of it still to come: it is not crowded out by newer ones. */
  readonly owed: boolean;
  /** It stays until the bridge says that it may go. */
  readonly pinned: boolean;
}

/** Which finished terminals to forget now. */
export function toForget(finished: readonly Finished[], now: number): number[] {
  const newestFirst = finished.filter(({ pinned }) => !pinned);
  newestFirst.sort((a, b) => b.endedAt - a.endedAt || b.handle - a.handle);
  return newestFirst
    .filter((one, rank) => now - one.endedAt >= KEPT_MS || (rank >= KEPT_FINISHED && !one.owed))
    .map((one) => one.handle);
}

export interface Claim {
  /** A bridge is there. While none is, the next one may want everything (rule H9). */
  readonly connected: boolean;
  /** A reader has bytes still to come; it may wait for its link. */
  readonly owed: boolean;
  /** The latest of: the end, the bridge's arrival, the last bytes sent, the reader's leaving. */
  readonly quietSince: number;
}

/** May the replay buffer of a finished terminal be cut to its history? */
export function mayCut(claim: Claim, now: number): boolean {
  return claim.connected && !claim.owed && now - claim.quietSince >= CLAIM_MS;
}
