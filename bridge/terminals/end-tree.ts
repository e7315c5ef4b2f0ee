// Owns how a closed terminal ends: signal, then SIGKILL, then a sweep for processes that left the
// group.

import { setTimeout as delay } from "node:timers/promises";
import { findSystemCode } from "../errors.ts";
import type { ProcessRecord } from "../processes/process-record.ts";
import { listDescendants, isRunning } from "../processes/process-record.ts";
import { findTaggedProcesses, sweepTag } from "../sweep.ts";

/** Long enough for a program to save; a person who closed a tab should not wait longer. */
const GRACE_MS = 2_000;
/** Children may need a moment longer than their shell to handle the same SIGHUP. */
const STRAGGLER_MS = 500;
const LOOK_EVERY_MS = 50;

export interface EndTreeOptions {
  /** Whether it runs a command instead of an interactive shell. */
  readonly isCommand: boolean;
  /** Signals the process group of the terminal's first process. */
  readonly signal: (name: string) => void;
  readonly finished: Promise<void>;
  readonly tag: string;
  /** The first process. Its descendants at the start of the end are killed too, tagged or not. */
  readonly pid: number | undefined;
}

export async function endTree(options: EndTreeOptions): Promise<void> {
  const { isCommand, signal, finished, tag, pid } = options;
  // Listed before the signals: an orphan is found only by its tag, which a program may drop (`env
  // -i`).
  const tree = listProcessTree(pid);
  // A server shuts down cleanly on SIGTERM; a shell ignores it but passes SIGHUP on.
  signal(isCommand ? "SIGTERM" : "SIGHUP");
  signal("SIGCONT");
  if (!(await settlesWithin(finished, GRACE_MS / 2))) {
    signal("SIGHUP");
    signal("SIGTERM");
    if (!(await settlesWithin(finished, GRACE_MS / 2))) signal("SIGKILL");
  }
  await finished;
  if (await waitUntilGone(tag, tree)) return;
  sweepTag(tag);
  for (const left of tree) if (isRunning(left)) killProcess(left.pid);
  // Waits a moment for the killed processes to disappear.
  await waitUntilGone(tag, tree);
}

/** Returns a process with its descendants; empty if this process is one of them. */
export function listProcessTree(pid: number | undefined): ProcessRecord[] {
  if (pid === undefined || pid <= 1) return [];
  const tree = listDescendants(pid);
  return tree.some((one) => one.pid === process.pid) ? [] : tree;
}

async function waitUntilGone(tag: string, tree: readonly ProcessRecord[]): Promise<boolean> {
  for (let waited = 0; waited < STRAGGLER_MS; waited += LOOK_EVERY_MS) {
    if (findTaggedProcesses(tag).length === 0 && !tree.some(isRunning)) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

/** Sends SIGKILL, if the process exists and belongs to this user. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The process has just ended, or changed its user, as with sudo.
    if (!["ESRCH", "EPERM"].includes(findSystemCode(error) ?? "")) throw error;
  }
}

async function settlesWithin(event: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([event.then(() => true), late]);
  timer.abort();
  return done;
}
