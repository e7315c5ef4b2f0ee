// Owns the host's log: one JSON line an event, appended synchronously.
// Never throws: a full disk must not end terminals.

import { openSync, writeSync } from "node:fs";

export type Log = (event: string, details?: Readonly<Record<string, unknown>>) => void;

const STDERR = 2;

/** To `file`, or to stderr. */
export function openLog(file: string | undefined): Log {
  const fd = file === undefined ? STDERR : openSync(file, "a", 0o600);
  return (event, details) => {
    try {
      writeSync(fd, `${JSON.stringify({ at: new Date().toISOString(), event, ...details })}\n`);
    } catch {
      // Nobody is left to be told.
    }
  };
}
