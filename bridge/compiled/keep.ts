// Owns how a program tells its loader, another script, that what it compiled so far is worth keeping.

export const KEEP = Symbol.for("pairpty:keep-compiled");

/**
 * Called when a program is up. Does nothing if the loader has no use for it: what was kept served
 * already, or the program was not started by the loader (in tests).
 */
export function keepCompiled(): void {
  const offered: Record<symbol, unknown> = globalThis;
  const keep = offered[KEEP];
  if (typeof keep === "function") keep();
}
