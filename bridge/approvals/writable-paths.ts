// Owns which files an agent can write, for lasting answers. At isolation `none` an agent has the
// user's rights and could write more, but a changed program file ends the answer anyway
// (approval-basis.ts).

import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { findSystemCode } from "../errors.ts";

/** Folders writable by every program on this machine, as real paths. */
const WORLD_WRITABLE_FOLDERS: readonly string[] = [
  ...new Set(["/tmp", "/var/tmp", "/dev/shm", tmpdir()].flatMap(toRealPaths)),
];

const WRITABLE_BY_OTHERS = 0o002;

/** Whether an agent can write `path`. Takes real paths. */
export function canWrite(path: string, roots: readonly string[]): boolean {
  if ([...roots, ...WORLD_WRITABLE_FOLDERS].some((folder) => isInside(path, folder))) return true;
  return [path, dirname(path)].some((place) => (statSync(place).mode & WRITABLE_BY_OTHERS) !== 0);
}

/** Whether `path` is `folder` or below it. Takes absolute paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function toRealPaths(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch (error) {
    if (findSystemCode(error) !== undefined) return [];
    throw error;
  }
}
