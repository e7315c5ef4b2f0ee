// Owns how a terminal that somebody closes is ended: ask, insist, then sweep what hid.

import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "../errors.ts";
import type { ProcessRecord } from "../processes/record.ts";
import { descendantsOf, isRunning } from "../processes/record.ts";
import { markedProcesses, sweep } from "../sweep.ts";

/** A program may want to save; a person who closed a tab does not want to wait longer. */
const GRACE_MS = 2_000;
/** Children that got the same hang-up may need a moment more than their shell. */
const STRAGGLER_MS = 500;
const LOOK_EVERY_MS = 50;

export interface Ending {
  /** A command of its own, not a shell that somebody sits at. */
  readonly isCommand: boolean;
  /** To the group of the terminal's first process. */
  readonly signal: (name: string) => void;
  readonly finished: Promise<void>;
  readonly mark: string;
  /** The first process. What descends from it when the end begins goes with it, marked or not. */
  readonly pid: number | undefined;
}

export async function endTree(ending: Ending): Promise<void> {
  const { isCommand, signal, finished, mark, pid } = ending;
  // Now: who has lost a parent is found by the mark alone, and a program may drop that (`env -i`).
  const tree = treeOf(pid);
  // A server puts its house in order on TERM; a shell ignores that, and passes a hang-up on.
  signal(isCommand ? "SIGTERM" : "SIGHUP");
  signal("SIGCONT");
  if (!(await within(finished, GRACE_MS / 2))) {
    signal("SIGHUP");
    signal("SIGTERM");
    if (!(await within(finished, GRACE_MS / 2))) signal("SIGKILL");
  }
  await finished;
  if (await isGone(mark, tree)) return;
  sweep(mark);
  for (const left of tree) if (isRunning(left)) kill(left.pid);
  // What was killed is gone a moment later.
  await isGone(mark, tree);
}

/** Nothing of a process that we descend from, init among them: it is no terminal's, whoever says so. */
export function treeOf(pid: number | undefined): ProcessRecord[] {
  if (pid === undefined || pid <= 1) return [];
  const tree = descendantsOf(pid);
  return tree.some((one) => one.pid === process.pid) ? [] : tree;
}

async function isGone(mark: string, tree: readonly ProcessRecord[]): Promise<boolean> {
  for (let waited = 0; waited < STRAGGLER_MS; waited += LOOK_EVERY_MS) {
    if (markedProcesses(mark).length === 0 && !tree.some(isRunning)) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

/** Where it still is, and ours to end. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has just ended, or is another user's now, as sudo is.
    if (!["ESRCH", "EPERM"].includes(systemCode(error) ?? "")) throw error;
  }
}

async function within(event: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([event.then(() => true), late]);
  timer.abort();
  return done;
}
