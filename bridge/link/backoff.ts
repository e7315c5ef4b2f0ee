// Owns how long to wait before redialling. Pure.

/**
 * A relay on this machine restarts quickly; a remote one must not get all bridges' redials at once.
 */
const NEAR = { firstMs: 50, maxMs: 1_000 };
const FAR = { firstMs: 500, maxMs: 30_000 };

/** Returns the wait in ms; `random` in [0, 1) spreads bridges that lost the same relay. */
export function backoffMs(attempt: number, isNear: boolean, random: number): number {
  const { firstMs, maxMs } = isNear ? NEAR : FAR;
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 20));
  return Math.round(full * (0.5 + random / 2));
}
