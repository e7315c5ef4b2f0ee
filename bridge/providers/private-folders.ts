// Owns how much the private folders behind a wall may hold. They are memory, and where no control
// group counts it, nothing else bounds them: a kernel's own bound is half of the machine for each.
// Pure.

import { MiB } from "../../protocol/limits.ts";

/** Bytes that each may hold. */
export interface FolderSizes {
  readonly tmp: number;
  readonly home: number;
  readonly varTmp: number;
  readonly shm: number;
}

/** Less than this is of no use to anybody. */
const MIN_BYTES = 16 * MiB;

/**
 * All of them together: the limit on memory, and at most half of this machine's. `limit` is
 * undefined where none is set.
 */
export function folderSizes(limit: number | undefined, machine: number): FolderSizes {
  const all = Math.min(limit ?? Infinity, machine / 2);
  const share = (part: number) => Math.max(MIN_BYTES, Math.floor(all / part));
  return { tmp: share(2), home: share(4), varTmp: share(8), shm: share(8) };
}
