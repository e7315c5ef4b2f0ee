// Owns how a program tells its loader, another script, that what it compiled so far is worth keeping.

export const KEEP = Symbol.for("pairpty:keep-compiled");

/** Called when a program is up. Nothing happens where it was loaded from what was kept, or otherwise. */
export function keepCompiled(): void {
  const offered: Record<symbol, unknown> = globalThis;
  const keep = offered[KEEP];
  if (typeof keep === "function") keep();
}
