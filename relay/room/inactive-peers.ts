// Owns which inactive peers lose their place in a full room. Pure.

/** Three keepalive intervals. */
const INACTIVE_MS = 60_000;

/** Whether a peer has never sent a message and sends no pings either. */
export function isInactive(
  { hasSpoken, joinedAt }: { readonly hasSpoken: boolean; readonly joinedAt: number },
  pingedAt: number | undefined,
  now: number,
): boolean {
  return !hasSpoken && now - Math.max(joinedAt, pingedAt ?? 0) >= INACTIVE_MS;
}
