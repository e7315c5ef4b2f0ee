// Owns the error for a disk that cannot be written (full, over quota, read-only): which file, why,
// and what to do. Such an error is the user's to fix, not a bug.

import { statfsSync } from "node:fs";
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
