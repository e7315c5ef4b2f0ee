// Owns ending a program of the user with everything in its process group, by its recorded pid and start
// time.

import type { ProcessRecord } from "./process-record.ts";
import { waitForEnd, isRunning } from "./process-record.ts";

/** Sends TERM to the group, and KILL after the grace period. Resolves when its leader is gone. */
export async function endGroup(leader: ProcessRecord, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isRunning(leader)) return;
    try {
      process.kill(-leader.pid, signal);
    } catch {
      // The process has just ended.
      return;
    }
    await waitForEnd(leader, graceMs);
  }
}
