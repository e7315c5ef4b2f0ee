// Owns writing a small file that only its user may read, whole or not at all, and on the disk when the
// call returns: the file's bytes and its folder's entry, so that it survives a crash of the machine.

import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, "w", 0o600);
  try {
    try {
      // Not writeSync: where a disk is nearly full it writes a part, and says nothing.
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw named(error, path);
  }
}

/**
 * Writes a file unless it has this text already and only its user may read it: a start that changes
 * nothing works on a full disk.
 */
export function updatePrivateFile(path: string, text: string): void {
  const isSame = readOptionalFile(path) === text && (statSync(path).mode & 0o077) === 0;
  if (isSame) syncFolder(dirname(path));
  else writePrivateFile(path, text);
}

/** Removes a file for good; one that is not there is removed already. */
export function removePrivateFile(path: string): void {
  rmSync(path, { force: true });
  try {
    syncFolder(dirname(path));
  } catch (error) {
    // A folder that is not there has no such file either.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Writes a file into the blocks of another one, which becomes it: on a disk with no room left this
 * works as long as the text fits into the reserve.
 */
export function writeIntoReserve(reserve: string, path: string, text: string): void {
  try {
    const fd = openSync(reserve, "r+");
    try {
      // Over what is there: only then no block is asked for.
      writeFileSync(fd, text);
      ftruncateSync(fd, Buffer.byteLength(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(reserve, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw named(error, path);
  }
}

/** Makes a file at least this large, in blocks that are taken from the disk now. Throws where it has none. */
export function reserveRoom(reserve: string, bytes: number): void {
  const size = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= bytes) return;
  try {
    const fd = openSync(reserve, "a", 0o600);
    try {
      writeFileSync(fd, Buffer.alloc(bytes - size, " "));
    } catch (error) {
      // The rest of a disk that is full is not ours to keep.
      ftruncateSync(fd, size);
      throw error;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw named(error, reserve);
  }
}

/** Undefined when there is no such file. */
export function readOptionalFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Puts renamed and removed entries on the disk: without it a crash of the machine may undo them. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } catch (error) {
    // Some network file systems have nothing to sync there.
    if (systemCode(error) !== "EINVAL") throw error;
  } finally {
    closeSync(fd);
  }
}

/** What is written to by its number has no name of its own. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}
