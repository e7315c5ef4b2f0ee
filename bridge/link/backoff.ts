// Owns how long to wait before dialling again. Pure.

/** A relay on this machine is back in a moment; a far one must not be stormed by every bridge at once. */
const NEAR = { firstMs: 50, mostMs: 1_000 };
const FAR = { firstMs: 500, mostMs: 30_000 };

/** `random` in [0, 1): spreads bridges that lost the same relay in the same second. */
export function backoffMs(attempt: number, near: boolean, random: number): number {
  const { firstMs, mostMs } = near ? NEAR : FAR;
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return Math.round(full * (0.5 + random / 2));
}
