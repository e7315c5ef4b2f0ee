// Owns ending what a terminal or a command left behind: every process that carries its mark in its environment.
// Linux only, by /proc; elsewhere the group signals are all there is.

import { readdirSync, readFileSync } from "node:fs";
import { MARK, RUN_PREFIX } from "./mark.ts";

/** Pids whose environment at exec had exactly this mark. */
export function markedProcesses(mark: string): number[] {
  const needle = `${MARK}=${mark}`;
  return processIds().filter((pid) => environmentOf(pid).includes(needle));
}

export function sweep(mark: string): void {
  endAll(() => markedProcesses(mark));
}

/** What carries one of these, with one look for all of them. */
export function sweepMarks(marks: ReadonlySet<string>): void {
  const prefix = `${MARK}=`;
  sweepWhere((entry) => entry.startsWith(prefix) && marks.has(entry.slice(prefix.length)));
}

/** Everything that any terminal or command of one pty host left behind. */
export function sweepInstance(instance: string): void {
  const suffix = `@${instance}`;
  sweepWhere((entry) => entry.startsWith(`${MARK}=`) && entry.endsWith(suffix));
}

/** The commands of a bridge that was killed: its pty host lives on, with terminals that do, too. */
export function sweepRuns(instance: string): void {
  const suffix = `@${instance}`;
  const prefix = `${MARK}=${RUN_PREFIX}`;
  sweepWhere((entry) => entry.startsWith(prefix) && entry.endsWith(suffix));
}

/** What carries this variable with this value. */
export function sweepVariable(name: string, value: string): void {
  sweepWhere((entry) => entry === `${name}=${value}`);
}

function sweepWhere(isMarked: (entry: string) => boolean): void {
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
