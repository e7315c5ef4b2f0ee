// Owns who reads a terminal: the programs in the foreground of its session, and those behind them.
// Linux only, by /proc; elsewhere nothing is known, and nothing is taken for harmless.

import { readFileSync, readlinkSync } from "node:fs";
import { findGroups } from "../process-groups.ts";
import { childrenOf } from "./record.ts";

export interface RunningProgram {
  readonly pid: number;
  /** Its file, behind every link; "" where that is not to be known. */
  readonly path: string;
  readonly argv: readonly string[];
}

export interface FrontProgram extends RunningProgram {
  /** It sleeps, and not for a child: a shell that does so waits for input. */
  readonly isWaiting: boolean;
}

export interface Foreground {
  /** The process group that reads the terminal; undefined when it is not known. */
  readonly group: number | undefined;
  /** What is typed reaches these. */
  readonly front: readonly FrontProgram[];
  /** These wait for it to end, and may read what it left. */
  readonly behind: readonly RunningProgram[];
  /** Where the front works; undefined when it is not to be known. */
  readonly cwd: string | undefined;
}

/** A shell in a shell in a shell; more than this is a trick. */
const MOST_PROCESSES = 500;

/** `leader` is the first process of the terminal. */
export function foregroundOf(leader: number): Foreground {
  const group = findGroups(leader)?.foreground;
  const front: FrontProgram[] = [];
  const behind: RunningProgram[] = [];
  const pids = [leader];
  for (
    let pid = pids.shift();
    pid !== undefined && pids.length < MOST_PROCESSES;
    pid = pids.shift()
  ) {
    const own = findGroups(pid)?.own;
    // Gone since, or a zombie: neither reads anything.
    if (own === undefined) continue;
    if (own === group) front.push({ ...findProgram(pid), isWaiting: isWaiting(pid) });
    else behind.push(findProgram(pid));
    pids.push(...childrenOf(pid));
  }
  const working = front.at(-1)?.pid;
  return { group, front, behind, cwd: working === undefined ? undefined : linkOf(working, "cwd") };
}

/** What stands in front of a terminal, by three looks and no more: for whoever asks often. */
export interface Front {
  readonly pid: number;
  readonly name: string;
  /** Undefined where that is not to be known. */
  readonly cwd: string | undefined;
}

/** Undefined where it is gone, or nothing is known here. */
export function frontOf(leader: number): Front | undefined {
  const pid = findGroups(leader)?.foreground ?? 0;
  if (pid <= 0) return undefined;
  const { argv, path } = findProgram(pid);
  const name = baseName(argv[0] ?? path);
  return name === "" ? undefined : { pid, name, cwd: linkOf(pid, "cwd") };
}

/** The name of the program that reads the terminal; "" when that is not to be known. */
export function programIn(leader: number): string {
  const program = foregroundOf(leader).front.at(-1);
  return baseName(program?.argv[0] ?? program?.path ?? "");
}

function baseName(words: string): string {
  return words.slice(words.lastIndexOf("/") + 1).replace(/^-/, "");
}

function findProgram(pid: number): RunningProgram {
  return { pid, path: linkOf(pid, "exe") ?? "", argv: wordsOf(pid) };
}

/** Where the kernel holds a process that waits for a child; zsh and dash wait for its signal. */
const WAITS_FOR_CHILD = /wait4|waitid|do_wait|sigsuspend/;

/** Where the kernel does not say for what a process sleeps, any sleep counts. */
function isWaiting(pid: number): boolean {
  try {
    if (findGroups(pid)?.state !== "S") return false;
    return !WAITS_FOR_CHILD.test(readFileSync(`/proc/${pid}/wchan`, "latin1"));
  } catch {
    return false;
  }
}

function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

function linkOf(pid: number, name: "exe" | "cwd"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    // Another user's, or gone since.
    return undefined;
  }
}
