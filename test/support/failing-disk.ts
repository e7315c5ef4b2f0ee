// Owns a disk for tests that takes nothing while a test says so, without needing the right to mount.

import { statSync } from "node:fs";
import type { FileSystem } from "../../bridge/workspace/durable-file.ts";
import {
  reserveSpace,
  writeIntoReserve,
  writePrivateFile,
} from "../../bridge/workspace/private-file.ts";

export interface FailingDisk extends FileSystem {
  isFull: boolean;
  /** What was reserved is there to be used. */
  hasReserve: boolean;
  /** More can be reserved. */
  canReserve: boolean;
  /** How often somebody tried to write. */
  writes: number;
}

export function failingDisk(): FailingDisk {
  const disk: FailingDisk = {
    isFull: false,
    hasReserve: true,
    canReserve: true,
    writes: 0,
    write: (path, text) => {
      disk.writes += 1;
      if (disk.isFull) throw noSpace(path);
      writePrivateFile(path, text);
    },
    writeIntoReserve: (reserve, path, text) => {
      if (!disk.hasReserve) throw noSpace(path);
      writeIntoReserve(reserve, path, text);
    },
    reserve: (reserve, bytes) => {
      const size = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
      if (size < bytes && (disk.isFull || !disk.canReserve)) throw noSpace(reserve);
      reserveSpace(reserve, bytes);
    },
  };
  return disk;
}

function noSpace(path: string): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    path,
  });
}
