// Owns the files of rooms that nobody claimed. workerd makes one for every room that is asked for,
// before the room can say no, and keeps it; here those that hold nothing are found and removed.

import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.ts";

/** Strangers can make empty rooms as fast as they can ask. */
export const SWEEP_EVERY_MS = 60_000;

const ROOM_FILE = /^[0-9a-f]{64}\.sqlite$/;

/** SQLite's first page begins with a header of 100 bytes, then a b-tree's: the schema's. */
const SCHEMA_AT = 100;
const HEAD_BYTES = 108;
const MAGIC = "SQLite format 3\0";
const TABLE_LEAF = 0x0d;

/** How many went. With `running`, workerd is up: what it has open has a log beside it, and stays. */
export function sweepRooms(rooms: string, running: boolean): number {
  let swept = 0;
  for (const entry of readdirSync(rooms, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !ROOM_FILE.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      if (!isEmptyDatabase(path) || hasLog(path, running)) continue;
      for (const end of ["-shm", "-wal", ""]) rmSync(path + end, { force: true });
      swept += 1;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  return swept;
}

/** What is in the log is not in the file yet: a claim, perhaps. */
function hasLog(path: string, running: boolean): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log !== undefined && (running || log.size > 0);
}

/** No table at all, so no claim. Anything that is not exactly that is left alone. */
function isEmptyDatabase(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    const read = readSync(file, head, 0, HEAD_BYTES, 0);
    // A start that was cut short left not even a header.
    if (read === 0) return true;
    const isTree = head.toString("latin1", 0, 16) === MAGIC && head[SCHEMA_AT] === TABLE_LEAF;
    return read === HEAD_BYTES && isTree && head.readUInt16BE(SCHEMA_AT + 3) === 0;
  } finally {
    closeSync(file);
  }
}
