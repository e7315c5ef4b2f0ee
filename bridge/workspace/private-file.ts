// Writes small files that only their user may read: atomically, and on disk (data and folder entry)
// when the call returns, so that they survive a crash of the machine. Creates a folder that only
// its user can enter, with its parents.

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
  mkdirSync,
} from "node:fs";
import { dirname } from "node:path";
import { findSystemCode } from "../errors.ts";

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, "w", 0o600);
  try {
    try {
      // Not writeSync: on a nearly full disk it writes only a part, without an error.
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw withPath(error, path);
  }
}

/**
 * Writes a file unless it has this text and private permissions already, so that a start without
 * changes works on a full disk.
 */
export function updatePrivateFile(path: string, text: string): void {
  const isSame = readOptionalFile(path) === text && (statSync(path).mode & 0o077) === 0;
  if (isSame) syncFolder(dirname(path));
  else writePrivateFile(path, text);
}

/** Removes a file durably; a missing file is not an error. */
export function removePrivateFile(path: string): void {
  rmSync(path, { force: true });
  try {
    syncFolder(dirname(path));
  } catch (error) {
    // A missing folder has no such file either.
    if (findSystemCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Writes a file into the blocks of the reserve, which then replaces it: on a full disk this works as
 * long as the text fits the reserve.
 */
export function writeIntoReserve(reserve: string, path: string, text: string): void {
  try {
    const fd = openSync(reserve, "r+");
    try {
      // Overwrites existing blocks, so that the disk allocates none.
      writeFileSync(fd, text);
      ftruncateSync(fd, Buffer.byteLength(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(reserve, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Grows the reserve to at least `bytes`, allocated now. Throws if the disk is full. */
export function reserveSpace(reserve: string, bytes: number): void {
  const size = statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= bytes) return;
  try {
    const fd = openSync(reserve, "a", 0o600);
    try {
      writeFileSync(fd, Buffer.alloc(bytes - size, " "));
    } catch (error) {
      // Do not keep the last space of a full disk.
      ftruncateSync(fd, size);
      throw error;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw withPath(error, reserve);
  }
}

/** Returns the file's text; undefined if the file does not exist. */
export function readOptionalFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (findSystemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Syncs a folder's entries; otherwise a crash of the machine may undo renames and removals. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } catch (error) {
    // Some network file systems do not support fsync on folders.
    if (findSystemCode(error) !== "EINVAL") throw error;
  } finally {
    closeSync(fd);
  }
}

/** Adds the path to an error of an operation by file descriptor, which names none. */
function withPath(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}

/**
 * Creates the folder. Not by mkdir's `recursive`, which never returns where none can be created, as in
 * /proc.
 */
export function makeFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 });
  try {
    make();
  } catch (error) {
    if (findSystemCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (findSystemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    make();
  }
}
