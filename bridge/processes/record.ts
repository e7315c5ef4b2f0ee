// Owns telling processes apart and ending them by what was recorded, never by a number alone:
// a pid that was reused since belongs to somebody else.

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface ProcessRecord {
  readonly pid: number;
  /** Clock ticks after boot at which it started; null where /proc does not tell. */
  readonly started: string | null;
}

export function recordProcess(pid: number): ProcessRecord {
  return { pid, started: startOf(pid) };
}

/** Running, and still the process that was recorded. */
export function isRunning({ pid, started }: ProcessRecord): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return started === null || startOf(pid) === started;
}

/** TERM, a moment, then KILL. Resolves when it is gone. */
export async function endProcess(record: ProcessRecord, graceMs: number): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isRunning(record)) return;
    try {
      process.kill(record.pid, signal);
    } catch {
      return;
    }
    await ended(record, graceMs);
  }
}

/** Waits for a process to end by itself; false when it did not in time. */
export async function ended(record: ProcessRecord, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while (isRunning(record)) {
    if (Date.now() >= until) return false;
    await delay(20);
  }
  return true;
}

export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Its children and theirs, as far as each one's parent still runs. */
export function descendantsOf(pid: number): ProcessRecord[] {
  const found = new Map<number, ProcessRecord>();
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of childrenOf(next)) {
      if (found.has(child)) continue;
      const record = recordProcess(child);
      // It has ended: its number may be somebody else's at any moment.
      if (record.started === null) continue;
      found.set(child, record);
      waiting.push(child);
    }
  }
  return [...found.values()];
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold spaces and parentheses; fields count from behind the last.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, whatever its parent knows of it yet.
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
