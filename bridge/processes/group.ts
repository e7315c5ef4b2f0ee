// Owns ending a program of the user's with everything that it started in its own process group, by
// what was recorded of it.

import type { ProcessRecord } from "./record.ts";
import { ended, isRunning } from "./record.ts";

/** TERM to the group, a moment, then KILL. Resolves when its leader is gone. */
export async function endGroup(leader: ProcessRecord, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isRunning(leader)) return;
    try {
      process.kill(-leader.pid, signal);
    } catch {
      // It ended in this moment.
      return;
    }
    await ended(leader, graceMs);
  }
}
