// Owns killing the processes that a terminal or a command left behind, found by the tag in their
// environment. Linux only, through /proc; other systems have only signals to process groups.

import { readdirSync, readFileSync } from "node:fs";
import { MARK, RUN_PREFIX } from "./mark.ts";

/** Returns the pids whose environment at exec had exactly this tag. */
export function markedProcesses(mark: string): number[] {
  const needle = `${MARK}=${mark}`;
  return processIds().filter((pid) => environmentOf(pid).includes(needle));
}

export function sweep(mark: string): void {
  endAll(() => markedProcesses(mark));
}

/** Kills all processes with one of these tags, in one scan of /proc. */
export function sweepMarks(marks: ReadonlySet<string>): void {
  const prefix = `${MARK}=`;
  sweepWhere((entry) => entry.startsWith(prefix) && marks.has(entry.slice(prefix.length)));
}

/** Kills everything that any terminal or command of one pty host left behind. */
export function sweepInstance(instance: string): void {
  const suffix = `@${instance}`;
  sweepWhere((entry) => entry.startsWith(`${MARK}=`) && entry.endsWith(suffix));
}

/** Kills the commands of a killed bridge. Its terminals stay: the pty host is still running. */
export function sweepRuns(instance: string): void {
  const suffix = `@${instance}`;
  const prefix = `${MARK}=${RUN_PREFIX}`;
  sweepWhere((entry) => entry.startsWith(prefix) && entry.endsWith(suffix));
}

/** Kills all processes with this variable set to this value. */
export function sweepVariable(name: string, value: string): void {
  sweepWhere((entry) => entry === `${name}=${value}`);
}

function sweepWhere(isMarked: (entry: string) => boolean): void {
  endAll(() => processIds().filter((pid) => environmentOf(pid).some(isMarked)));
}

/** Sends SIGKILL until no process is found: a fork can race with one scan of /proc. */
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
    // The process exited, or belongs to another user: not ours to kill either way.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Exited since the scan.
  }
}
