// Owns the sizes of private folders in a sandbox. They are in memory, and without a control group
// nothing else limits them: the kernel's default is half of the machine for each. Pure.

import { MiB } from "../../protocol/limits.ts";

/** Bytes that each may hold. */
export interface FolderSizes {
  readonly tmp: number;
  readonly home: number;
  readonly varTmp: number;
  readonly shm: number;
}

/** A smaller folder is useless. */
const MIN_BYTES = 16 * MiB;

/** Returns the sizes: together `limit`, if it is set, and at most half of this machine's memory. */
export function folderSizes(limit: number | undefined, machine: number): FolderSizes {
  const all = Math.min(limit ?? Infinity, machine / 2);
  const share = (part: number) => Math.max(MIN_BYTES, Math.floor(all / part));
  return { tmp: share(2), home: share(4), varTmp: share(8), shm: share(8) };
}
