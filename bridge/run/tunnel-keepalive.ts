// Pings people's sockets through a tunnel: proxies cut silent ones, and browsers may stop a hidden page
// from sending.

/** Below the 30 s after which tunnels cut a silent socket. */
export const PING_INTERVAL_MS = 25_000;

/** Starts the pings; returns a function that stops them. */
export function startKeepalive<Caller>(
  people: () => readonly Caller[],
  ping: (caller: Caller) => void,
): () => void {
  const timer = setInterval(() => people().forEach((caller) => ping(caller)), PING_INTERVAL_MS);
  return () => clearInterval(timer);
}
