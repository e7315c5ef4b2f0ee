// Owns the error for a disk that cannot be written (full, over quota, read-only): which file, why,
// and what to do. Such an error is the user's to fix, not a bug.

import { statfsSync } from "node:fs";
import { ExitCode, messageOf, systemCode, UserError } from "./errors.ts";

const ELSEWHERE = "set XDG_STATE_HOME or XDG_RUNTIME_DIR to a folder on another disk.";

interface Problem {
  readonly why: string;
  readonly hint: string;
}

const FULL: Problem = { why: "the disk is full", hint: `Free some space there, or ${ELSEWHERE}` };
const PROBLEMS: Readonly<Record<string, Problem>> = {
  ENOSPC: FULL,
  EDQUOT: { why: "your disk quota is used up", hint: `Free some space there, or ${ELSEWHERE}` },
  EROFS: { why: "the file system is read-only", hint: `Make it writable, or ${ELSEWHERE}` },
};

/** Minimum free space for a relay and its workerd to start, in bytes. */
const LEAST_FREE = 1 << 20;

/** Returns a user error if the disk is the cause, else undefined. */
export function diskProblem(error: unknown, path = pathOf(error)): UserError | undefined {
  if (error instanceof UserError) return undefined;
  const problem = PROBLEMS[systemCode(error) ?? ""];
  return problem && complaint(path ?? "a file", problem);
}

/** Returns the reason as a clause for the middle of a sentence: "the disk is full". */
export function describeDiskProblem(error: unknown): string {
  return PROBLEMS[systemCode(error) ?? ""]?.why ?? messageOf(error);
}

/** Returns an error for the first of these folders with too little free space, else undefined. */
export function fullFolder(
  folders: readonly string[],
  free: (folder: string) => number = freeIn,
): UserError | undefined {
  const full = folders.find((folder) => free(folder) < LEAST_FREE);
  return full === undefined ? undefined : complaint(full, FULL);
}

function complaint(path: string, { why, hint }: Problem): UserError {
  return new UserError(`${path} cannot be written: ${why}`, ExitCode.unavailable, hint);
}

function freeIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // Unknown free space must not be reported as a full disk.
    return Infinity;
  }
}

function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("path" in error)) return undefined;
  return typeof error.path === "string" ? error.path : undefined;
}
