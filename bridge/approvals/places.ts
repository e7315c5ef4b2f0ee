// Owns where an agent can write, for answers that last. At level `none` it is the user and could
// write more; but what changed on the disk ends an answer all the same (footing.ts).

import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

/** Where every program of this machine may write, as real paths. */
const FOR_ALL: readonly string[] = [
  ...new Set(["/tmp", "/var/tmp", "/dev/shm", tmpdir()].flatMap(real)),
];

const WRITABLE_BY_OTHERS = 0o002;

/** `path` is real, and so are the roots. */
export function canWrite(path: string, roots: readonly string[]): boolean {
  if ([...roots, ...FOR_ALL].some((folder) => isInside(path, folder))) return true;
  return [path, dirname(path)].some((place) => (statSync(place).mode & WRITABLE_BY_OTHERS) !== 0);
}

/** Both absolute. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch (error) {
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
}
