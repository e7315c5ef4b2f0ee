// Continues reading a log where the last read stopped, across rotations.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { listLogFiles } from "./rotating-file.ts";

/** How far a log was read: a file (by inode, whatever its name now) and an offset in it. */
export interface LogPosition {
  readonly inode: number;
  readonly offset: number;
}

interface OpenFile {
  readonly fd: number;
  readonly inode: number;
  readonly size: number;
}

const NEWLINE = 10;

/** Returns the whole lines written since `place`, oldest first. */
export function readNewLines(
  path: string,
  position?: LogPosition,
): { text: string; place: LogPosition | undefined } {
  const files = openAll(path);
  try {
    const at = files.findIndex(({ inode }) => inode === position?.inode);
    // If that file is gone, continue with the oldest one.
    const unread = at < 0 ? files : files.slice(at);
    let text = "";
    let reached = position;
    for (const file of unread) {
      const read = file.inode === position?.inode ? position.offset : 0;
      // Shorter than what was read: the file was truncated, so all of it is new.
      const from = read > file.size ? 0 : read;
      const bytes = readFrom(file, from);
      const whole = bytes.lastIndexOf(NEWLINE) + 1;
      text += bytes.toString("utf8", 0, whole);
      reached = { inode: file.inode, offset: from + whole };
    }
    return { text, place: reached };
  } finally {
    for (const { fd } of files) closeSync(fd);
  }
}

/**
 * Opens all files, returned oldest first. Opens the newest first, so that a rotation meanwhile yields a
 * file twice, never skips one.
 */
function openAll(path: string): OpenFile[] {
  const found = new Map<number, OpenFile>();
  for (const name of listLogFiles(path).toReversed()) {
    const file = tryOpen(name);
    if (file === undefined) continue;
    if (found.has(file.inode)) closeSync(file.fd);
    else found.set(file.inode, file);
  }
  return [...found.values()].toReversed();
}

function tryOpen(path: string): OpenFile | undefined {
  try {
    const fd = openSync(path, "r");
    const { ino, size } = fstatSync(fd);
    return { fd, inode: ino, size };
  } catch {
    return undefined;
  }
}

function readFrom({ fd, size }: OpenFile, from: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, size - from));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
}
