// Owns how a wait status becomes an honest `Exit`: a code, or no code and the signal's name.

import { constants } from "node:os";
import type { Exit } from "../../protocol/terminal.ts";

export function exitOf(code: number, signal: number): Exit {
  if (signal === 0) return { exitCode: code, signal: null };
  return { exitCode: null, signal: signalName(signal) };
}

/** Is this a signal that this system can send? */
export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

function signalName(number: number): string {
  // Some numbers have two names (SIGABRT, SIGIOT); the first is the one people know.
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return known?.[0] ?? `SIG${number}`;
}
