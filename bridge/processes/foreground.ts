// Owns which programs read a terminal: those in the foreground of its session, and those behind them.
// Linux only, by /proc; elsewhere nothing is known, and nothing counts as harmless.

import { readFileSync, readlinkSync } from "node:fs";
import { findGroups } from "../process-groups.ts";
import { listChildren } from "./process-record.ts";

export interface RunningProgram {
  readonly pid: number;
  /** The executable with all links resolved; "" if unknown. */
  readonly path: string;
  readonly argv: readonly string[];
}

export interface FrontProgram extends RunningProgram {
  /** Whether it sleeps for something other than a child: a shell that does so waits for input. */
  readonly isWaiting: boolean;
}

export interface Foreground {
  /** The process group that reads the terminal; undefined if unknown. */
  readonly group: number | undefined;
  /** The programs that get what is typed. */
  readonly front: readonly FrontProgram[];
  /** The programs that wait for those to end, and may read the rest of the input. */
  readonly behind: readonly RunningProgram[];
  /** The working folder of the program in front; undefined if unknown. */
  readonly cwd: string | undefined;
}

/** More nested processes than any real session has. */
const MAX_PROCESSES = 500;

/** Returns the programs that read a terminal; `leader` is its first process. */
export function getForeground(leader: number): Foreground {
  const group = findGroups(leader)?.foreground;
  const front: FrontProgram[] = [];
  const behind: RunningProgram[] = [];
  const pids = [leader];
  for (
    let pid = pids.shift();
    pid !== undefined && pids.length < MAX_PROCESSES;
    pid = pids.shift()
  ) {
    const own = findGroups(pid)?.own;
    // Has ended, or is a zombie: neither reads anything.
    if (own === undefined) continue;
    if (own === group) front.push({ ...findProgram(pid), isWaiting: isWaiting(pid) });
    else behind.push(findProgram(pid));
    pids.push(...listChildren(pid));
  }
  const working = front.at(-1)?.pid;
  return {
    group,
    front,
    behind,
    cwd: working === undefined ? undefined : readProcessLink(working, "cwd"),
  };
}

/** The program in front of a terminal, by only three reads of /proc: for callers that poll. */
export interface FrontSummary {
  readonly pid: number;
  readonly name: string;
  /** Undefined if unknown. */
  readonly cwd: string | undefined;
}

/** Returns the program in front; undefined if it has ended, or without /proc. */
export function findFrontProgram(leader: number): FrontSummary | undefined {
  const pid = findGroups(leader)?.foreground ?? 0;
  if (pid <= 0) return undefined;
  const { argv, path } = findProgram(pid);
  const name = baseName(argv[0] ?? path);
  return name === "" ? undefined : { pid, name, cwd: readProcessLink(pid, "cwd") };
}

/** Returns the name of the program that reads the terminal; "" if unknown. */
export function getProgramName(leader: number): string {
  const program = getForeground(leader).front.at(-1);
  return baseName(program?.argv[0] ?? program?.path ?? "");
}

function baseName(words: string): string {
  return words.slice(words.lastIndexOf("/") + 1).replace(/^-/, "");
}

function findProgram(pid: number): RunningProgram {
  return { pid, path: readProcessLink(pid, "exe") ?? "", argv: readArgv(pid) };
}

/** Kernel functions in which a process waits for a child; zsh and dash wait for its signal. */
const WAITS_FOR_CHILD = /wait4|waitid|do_wait|sigsuspend/;

/** Whether a process waits for input; any sleep counts where the kernel does not report its reason. */
function isWaiting(pid: number): boolean {
  try {
    if (findGroups(pid)?.state !== "S") return false;
    return !WAITS_FOR_CHILD.test(readFileSync(`/proc/${pid}/wchan`, "latin1"));
  } catch {
    return false;
  }
}

function readArgv(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

function readProcessLink(pid: number, name: "exe" | "cwd"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    // Belongs to another user, or has ended.
    return undefined;
  }
}
