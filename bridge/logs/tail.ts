// Owns going on where one stopped reading a log, across rotations.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { logFiles } from "./rotating-file.ts";

/** Up to where a log was read: a file, whatever its name is by now, and an offset in it. */
export interface Place {
  readonly inode: number;
  readonly offset: number;
}

interface OpenFile {
  readonly fd: number;
  readonly inode: number;
  readonly size: number;
}

const NEWLINE = 10;

/** What came since `place`, from oldest to newest, in whole lines. */
export function readNew(path: string, place?: Place): { text: string; place: Place | undefined } {
  const files = openAll(path);
  try {
    const at = files.findIndex(({ inode }) => inode === place?.inode);
    // A place whose file is gone begins with the oldest there is.
    const unread = at < 0 ? files : files.slice(at);
    let text = "";
    let reached = place;
    for (const file of unread) {
      const read = file.inode === place?.inode ? place.offset : 0;
      // Shorter than what was read: it was emptied, and all of it is new.
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

/** Oldest first. Opened from the newest on: one that is rotated meanwhile is met twice, not never. */
function openAll(path: string): OpenFile[] {
  const found = new Map<number, OpenFile>();
  for (const name of logFiles(path).toReversed()) {
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
