// Owns handling of unexpected exceptions in listeners and frame handlers: they are logged and
// affect only the caller that caused them, not the whole bridge.

import type { Log } from "./log.ts";

/** Sent to the caller; details go to the log only. */
export const INTERNAL_ERROR = "Internal error in the bridge; see its log";

/** Log for code without one of its own, such as emitters; stderr until a run sets it. */
let faultLog: Pick<Log, "error"> = {
  error: (message) => void process.stderr.write(`pairpty: ${message}\n`),
};

/** Sets the log for code without one of its own. Returns a function that restores the old. */
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

/** Logs a fault in code without a log of its own. */
export function reportFault(where: string, error: unknown): void {
  logFault(faultLog, where, error);
}

/** Wraps `fn`: exceptions are logged, not thrown. */
export function logErrors<Values extends unknown[]>(
  log: Pick<Log, "error">,
  where: string,
  fn: (...values: Values) => void,
): (...values: Values) => void {
  return (...values) => {
    try {
      fn(...values);
    } catch (error) {
      logFault(log, where, error);
    }
  };
}

/** Calls each function with the same values. Exceptions are logged and do not stop the others. */
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
