// Owns the error for a disk that cannot be written (full, over quota, read-only): which file, why,
// and what to do. Such an error is the user's to fix, not a bug. Also owns the error for a start
// that failed because the process has no free file descriptor, and detecting that cause.

import { statfsSync, closeSync, openSync } from "node:fs";
import { ExitCode, errorMessage, findSystemCode, UserError } from "./errors.ts";

const OTHER_DISK_HINT = "set XDG_STATE_HOME or XDG_RUNTIME_DIR to a folder on another disk.";

interface DiskProblem {
  readonly why: string;
  readonly hint: string;
}

const FULL: DiskProblem = {
  why: "the disk is full",
  hint: `Free some space there, or ${OTHER_DISK_HINT}`,
};
const PROBLEMS: Readonly<Record<string, DiskProblem>> = {
  ENOSPC: FULL,
  EDQUOT: {
    why: "your disk quota is used up",
    hint: `Free some space there, or ${OTHER_DISK_HINT}`,
  },
  EROFS: { why: "the file system is read-only", hint: `Make it writable, or ${OTHER_DISK_HINT}` },
};

/** Minimum free space for a relay and its workerd to start, in bytes. */
const MIN_FREE_BYTES = 1 << 20;

/** Returns a user error if the disk is the cause, else undefined. */
export function toDiskError(error: unknown, path = findErrorPath(error)): UserError | undefined {
  if (error instanceof UserError) return undefined;
  const problem = PROBLEMS[findSystemCode(error) ?? ""];
  return problem && toWriteError(path ?? "a file", problem);
}

/** Returns the reason as a clause for the middle of a sentence: "the disk is full". */
export function describeDiskProblem(error: unknown): string {
  return PROBLEMS[findSystemCode(error) ?? ""]?.why ?? errorMessage(error);
}

/** Returns an error for the first of these folders that has too little free space; undefined if none. */
export function findFullFolder(
  folders: readonly string[],
  free: (folder: string) => number = getFreeBytes,
): UserError | undefined {
  const full = folders.find((folder) => free(folder) < MIN_FREE_BYTES);
  return full === undefined ? undefined : toWriteError(full, FULL);
}

function toWriteError(path: string, { why, hint }: DiskProblem): UserError {
  return new UserError(`${path} cannot be written: ${why}`, ExitCode.unavailable, hint);
}

function getFreeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // Unknown free space must not be reported as a full disk.
    return Infinity;
  }
}

function findErrorPath(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("path" in error)) return undefined;
  return typeof error.path === "string" ? error.path : undefined;
}

/** A terminal needs both ends of its PTY, plus one descriptor during the fork. */
const NEEDED_DESCRIPTORS = 3;
const SHORTAGE_CODES: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE"]);
/**
 * The advice names the newest terminals: a free number below one in use does not help the next fork
 * (pty-host/pty.ts).
 */
const SHORTAGE_MESSAGE =
  "no file descriptor is free; close terminals, the newest first, or start pairpty again with a higher limit (`ulimit -n`)";

/** Replaces errors without a code: node-pty reports only that forkpty failed. */
export class OutOfDescriptors extends Error {
  readonly code = "EMFILE";
}

/** Returns why a start failed, with advice if the process ran out of descriptors. */
export function formatStartFailure(error: unknown): string {
  return SHORTAGE_CODES.has(findSystemCode(error)) ? SHORTAGE_MESSAGE : errorMessage(error);
}

/** Whether this process cannot open as many descriptors as a terminal needs. */
export function isOutOfDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED_DESCRIPTORS) opened.push(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return SHORTAGE_CODES.has(findSystemCode(error));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
