// Owns keeping sockets through a tunnel busy: proxies in between cut silent ones, and browsers may
// stop a hidden page from sending by itself.

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
