// Owns who makes way where places are short. Pure.

/** Three keepalives. */
const MUTE_MS = 60_000;

/** Whether a peer makes way for others: it has never said anything, and sends no pings either. */
export function isMute(
  { isHeard, joinedAt }: { readonly isHeard: boolean; readonly joinedAt: number },
  pingedAt: number | undefined,
  now: number,
): boolean {
  return !isHeard && now - Math.max(joinedAt, pingedAt ?? 0) >= MUTE_MS;
}
