// Owns that a folder has one bridge at a time, however many start at once and whatever a killed one
// left behind. The holder's socket is in `lock/`, under a unique name. rename(2) replaces `lock/`
// with a directory that contains a socket only while `lock/` is absent or empty, and a dead
// holder's socket is removed by its own name, so no step can undo another process's work.
// Connecting to a socket shows whether its holder is alive; pids are not used.

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { findSystemCode } from "../../errors.ts";
import { connectLocal } from "../../local/local-socket.ts";

/** Longest path below the runtime folder to which a socket is bound. */
export const LONGEST_SOCKET_NAME = "lock.abcdef/abcdef";

export interface FolderHold {
  /** Releases the folder. Leaves files of a later holder alone. */
  release(): void;
}

/** Makes `server` listen at `path`; returns undefined if another bridge holds the folder. */
export async function holdFolder(path: string, server: Server): Promise<FolderHold | undefined> {
  const folder = dirname(path);
  const lock = join(folder, "lock");
  const id = randomBytes(4).toString("base64url");
  const draft = `${lock}.${id}`;
  mkdirSync(draft, { mode: 0o700 });
  // Listens before it is moved into place, so that other processes always find it alive.
  await listen(server, join(draft, id)).catch((error: unknown) => {
    removeIfEmpty(draft);
    throw error;
  });
  if (!(await moveIntoPlace(draft, lock))) {
    server.close();
    rmSync(draft, { recursive: true, force: true });
    return undefined;
  }
  const release = () => {
    server.close();
    if (findLinkTarget(path) === join("lock", id)) rmSync(path, { force: true });
    rmSync(join(lock, id), { force: true });
    removeIfEmpty(lock);
  };
  // A bridge older than this lock holds the path itself.
  if (await isListening(path)) {
    release();
    return undefined;
  }
  symlinkSync(join("lock", id), `${path}.${id}`);
  renameSync(`${path}.${id}`, path);
  return { release };
}

/** Moves `draft` into place; false if a living process holds it. */
async function moveIntoPlace(draft: string, lock: string): Promise<boolean> {
  while (!tryRename(draft, lock)) {
    for (const name of listEntries(lock)) {
      const holder = join(lock, name);
      if (await isListening(holder)) return false;
      rmSync(holder, { force: true });
    }
  }
  return true;
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Whether a process listens; only these errors prove that none does, since a full queue has an
 * owner.
 */
async function isListening(path: string): Promise<boolean> {
  try {
    (await connectLocal(path)).destroy();
    return true;
  } catch (error) {
    return !["ECONNREFUSED", "ENOENT", "ENOTSOCK"].includes(findSystemCode(error) ?? "");
  }
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  chmodSync(path, 0o600);
}

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (findSystemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function findLinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Absent, or a socket itself: not ours either way.
    return undefined;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next holder already uses it, or has removed it.
  }
}
