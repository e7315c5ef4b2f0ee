// Owns the conversion of a wait status into an `Exit`: a code, or no code and the signal's name.

import { constants } from "node:os";
import type { Exit } from "../../protocol/terminal.ts";

export function toExit(code: number, signal: number): Exit {
  if (signal === 0) return { exitCode: code, signal: null };
  return { exitCode: null, signal: signalName(signal) };
}

/** Whether this system can send the signal. */
export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

function signalName(number: number): string {
  // Some numbers have two names (SIGABRT, SIGIOT); the first is the common one.
  const known = Object.entries(constants.signals).find(([, value]) => value === number);
  return known?.[0] ?? `SIG${number}`;
}
