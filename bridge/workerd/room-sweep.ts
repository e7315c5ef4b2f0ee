// Removes the storage files of unclaimed rooms. workerd creates one for every room that is requested,
// before the room can refuse, and keeps it.

import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { findSystemCode } from "../errors.ts";

/** Anyone can create empty rooms as fast as they can send requests. */
export const SWEEP_INTERVAL_MS = 60_000;

const ROOM_FILE = /^[0-9a-f]{64}\.sqlite$/;

/** SQLite's first page starts with a header of 100 bytes, followed by the schema's b-tree header. */
const SCHEMA_OFFSET = 100;
const HEAD_BYTES = 108;
const MAGIC = "SQLite format 3\0";
const TABLE_LEAF = 0x0d;

/**
 * Removes empty rooms and returns how many. `running`: workerd is up, and files that it has open (with
 * a -wal file) stay.
 */
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
      if (findSystemCode(error) !== "ENOENT") throw error;
    }
  }
  return swept;
}

/** Whether the write-ahead log may hold data, such as a claim, that is not in the file yet. */
function hasLog(path: string, running: boolean): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log !== undefined && (running || log.size > 0);
}

/** Whether the database has no table at all, hence no claim. In doubt returns false. */
function isEmptyDatabase(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    const read = readSync(file, head, 0, HEAD_BYTES, 0);
    // An interrupted start left not even a header.
    if (read === 0) return true;
    const isTree = head.toString("latin1", 0, 16) === MAGIC && head[SCHEMA_OFFSET] === TABLE_LEAF;
    return read === HEAD_BYTES && isTree && head.readUInt16BE(SCHEMA_OFFSET + 3) === 0;
  } finally {
    closeSync(file);
  }
}
