// Owns how much memory processes have resident, from /proc.

import { readFileSync } from "node:fs";

/** MB of 1,000,000 bytes. */
export function residentMegabytes(...pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readResident(pid), 0);
}

function readResident(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}
