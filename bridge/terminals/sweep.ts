// Owns ending what a terminal left behind: every process that carries its mark in its environment.
// Linux only, by /proc; elsewhere the group signals are all there is.

import { readdirSync, readFileSync } from "node:fs";
import { MARK } from "./environment.ts";

/** Pids whose environment at exec had exactly this mark. */
export function markedProcesses(mark: string): number[] {
  const needle = `${MARK}=${mark}`;
  return processIds().filter((pid) => environmentOf(pid).includes(needle));
}

export function sweep(mark: string): void {
  endAll(() => markedProcesses(mark));
}

/** Everything that any terminal of one pty host left behind. */
export function sweepInstance(instance: string): void {
  const suffix = `@${instance}`;
  const isMarked = (entry: string) => entry.startsWith(`${MARK}=`) && entry.endsWith(suffix);
  endAll(() => processIds().filter((pid) => environmentOf(pid).some(isMarked)));
}

/** KILL to all of them, again until none is found: a fork may race with one look. */
function endAll(find: () => number[]): void {
  for (let round = 0; round < 5; round++) {
    const pids = find().filter((pid) => pid !== process.pid);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    // Gone since, or another user's: not ours to end either way.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended by itself since the look.
  }
}
