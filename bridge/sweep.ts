// Owns killing the processes that a terminal or a command left behind, found by the tag in their
// environment. Linux only, through /proc; other systems have only signals to process groups. Also
// owns the environment variable that tags the processes of a terminal or a command, so that they
// can be found later.

import { readdirSync, readFileSync } from "node:fs";

/** Returns the pids whose environment at exec had exactly this tag. */
export function findTaggedProcesses(tag: string): number[] {
  const needle = `${PROCESS_TAG_ENV}=${tag}`;
  return processIds().filter((pid) => readEnvironment(pid).includes(needle));
}

export function sweepTag(tag: string): void {
  killAll(() => findTaggedProcesses(tag));
}

/** Kills all processes with any of these tags, in one scan of /proc. */
export function sweepTags(tags: ReadonlySet<string>): void {
  const prefix = `${PROCESS_TAG_ENV}=`;
  sweepWhere((entry) => entry.startsWith(prefix) && tags.has(entry.slice(prefix.length)));
}

/** Kills everything that any terminal or command of one pty host left behind. */
export function sweepInstance(instance: string): void {
  const suffix = `@${instance}`;
  sweepWhere((entry) => entry.startsWith(`${PROCESS_TAG_ENV}=`) && entry.endsWith(suffix));
}

/** Kills the commands of a killed bridge. Its terminals stay: the pty host is still running. */
export function sweepRuns(instance: string): void {
  const suffix = `@${instance}`;
  const prefix = `${PROCESS_TAG_ENV}=${RUN_PREFIX}`;
  sweepWhere((entry) => entry.startsWith(prefix) && entry.endsWith(suffix));
}

/** Kills all processes with this variable set to this value. */
export function sweepVariable(name: string, value: string): void {
  sweepWhere((entry) => entry === `${name}=${value}`);
}

function sweepWhere(isTagged: (entry: string) => boolean): void {
  killAll(() => processIds().filter((pid) => readEnvironment(pid).some(isTagged)));
}

/** Sends SIGKILL until no process is found: a fork can race with one scan of /proc. */
function killAll(find: () => number[]): void {
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

function readEnvironment(pid: number): string[] {
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

export const PROCESS_TAG_ENV = "PAIRPTY_TERMINAL";

/** Prefix of a command run's id, also in its tag; terminal ids begin with `pty-`. */
export const RUN_PREFIX = "run-";

/** Returns a tag unique to one terminal of one pty host: a sweep kills nothing else. */
export function formatProcessTag(instance: string, id: string): string {
  return `${id}@${instance}`;
}
