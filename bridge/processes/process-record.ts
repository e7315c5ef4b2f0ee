// Owns identifying processes and ending them by pid and start time: a pid may have been reused by
// another process. Also owns ending a program of the user with everything in its process group, by
// its recorded pid and start time.

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface ProcessRecord {
  readonly pid: number;
  /** Start time in clock ticks after boot; null without /proc. */
  readonly started: string | null;
}

export function recordProcess(pid: number): ProcessRecord {
  return { pid, started: readStartTime(pid) };
}

/** Whether it runs, and is still the recorded process. */
export function isRunning({ pid, started }: ProcessRecord): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return started === null || readStartTime(pid) === started;
}

/** Sends TERM, and KILL after the grace period. Resolves when the process is gone. */
export async function endProcess(record: ProcessRecord, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isRunning(record)) return;
    try {
      process.kill(record.pid, signal);
    } catch {
      return;
    }
    await waitForEnd(record, graceMs);
  }
}

/** Waits for a process to end; resolves false if it did not in time. */
export async function waitForEnd(record: ProcessRecord, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while (isRunning(record)) {
    if (Date.now() >= until) return false;
    await delay(20);
  }
  return true;
}

export function listChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns all descendants, as far as each one's parent still runs. */
export function listDescendants(pid: number): ProcessRecord[] {
  const found = new Map<number, ProcessRecord>();
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of listChildren(next)) {
      if (found.has(child)) continue;
      const record = recordProcess(child);
      // The process has ended: its pid may be reused at any moment.
      if (record.started === null) continue;
      found.set(child, record);
      waiting.push(child);
    }
  }
  return [...found.values()];
}

function readStartTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain spaces and parentheses, so fields are counted after the last
    // one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, even if its parent has not collected it.
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

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
