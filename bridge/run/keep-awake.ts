// Owns that no socket through a tunnel is silent for long: what stands between cuts those, and a page
// out of sight may not speak by itself.

/** Below the 30 s that tunnels let pass. */
export const PING_EVERY_MS = 25_000;

/** Returns the end of it. */
export function keepAwake<Caller>(
  people: () => readonly Caller[],
  ping: (caller: Caller) => void,
): () => void {
  const timer = setInterval(() => people().forEach((one) => ping(one)), PING_EVERY_MS);
  return () => clearInterval(timer);
}
