// Owns the signal from a program to its loader, a separate script, that its compiled code is worth
// caching.

export const KEEP_COMPILED = Symbol.for("pairpty:keep-compiled");

/**
 * Requests caching, once a program has started up. Does nothing if the loader needs no new cache,
 * or did not start the program (in tests).
 */
export function keepCompiled(): void {
  const offered: Record<symbol, unknown> = globalThis;
  const keep = offered[KEEP_COMPILED];
  if (typeof keep === "function") keep();
}
