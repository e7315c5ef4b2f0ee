// Owns what is said when a disk takes nothing more: which file, why, and what to do. It is no bug.

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

/** What a relay and its workerd need to begin with; with less, that is why one did not start. */
const LEAST_FREE = 1 << 20;

/** Undefined where something else is the matter. */
export function diskProblem(error: unknown, path = pathOf(error)): UserError | undefined {
  if (error instanceof UserError) return undefined;
  const problem = PROBLEMS[systemCode(error) ?? ""];
  return problem && complaint(path ?? "a file", problem);
}

/** Says why a file was not written, in the middle of a sentence: "the disk is full". */
export function describeDiskProblem(error: unknown): string {
  return PROBLEMS[systemCode(error) ?? ""]?.why ?? messageOf(error);
}

/** Why a process that has these folders did not start, if that is why. */
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
    // Where it cannot be asked, this is not known to be the reason.
    return Infinity;
  }
}

function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("path" in error)) return undefined;
  return typeof error.path === "string" ? error.path : undefined;
}
