// Owns what becomes of a fault of ours in a listener or a frame's handler: it is written down, and
// costs whoever caused it, never the bridge and everybody in it.

import type { Log } from "./log.ts";

/** What a caller is told; the log has the rest. */
export const FAULT = "Internal error in the bridge; its log says why";

/** Receives faults of code that has no log of its own, such as an emitter's; stderr until a run sets it. */
let faultLog: Pick<Log, "error"> = {
  error: (message) => void process.stderr.write(`pairpty: ${message}\n`),
};

/** Sends faults that have no log of their own to this one. Returns a function that undoes it. */
export function setFaultLog(log: Pick<Log, "error">): () => void {
  const before = faultLog;
  faultLog = log;
  return () => {
    if (faultLog === log) faultLog = before;
  };
}

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

/** Calls each function with the same values; one that throws is logged and stops none of the others. */
export function callEach<Values extends unknown[]>(
  functions: Iterable<(...values: Values) => void>,
  where: string,
  ...values: Values
): void {
  for (const call of functions) {
    try {
      call(...values);
    } catch (error) {
      logFault(faultLog, where, error);
    }
  }
}
