// Owns what becomes of a fault of ours in a listener or a frame's handler: it is written down, and
// costs whoever caused it, never the bridge and everybody in it.

import type { Log } from "./log.ts";

/** What a caller is told; the log has the rest. */
export const FAULT = "Internal error in the bridge; its log says why";

export function logFault(log: Pick<Log, "error">, where: string, error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error(`bug: ${where}: ${what}`);
}

/** The same function, except that it throws nothing. */
export function unfailing<Values extends unknown[]>(
  log: Pick<Log, "error">,
  where: string,
  act: (...values: Values) => void,
): (...values: Values) => void {
  return (...values) => {
    try {
      act(...values);
    } catch (error) {
      logFault(log, where, error);
    }
  };
}
