// Owns that a folder has one bridge at a time, however many start at once and whatever a killed one
// left. The holder's socket lies in `lock/`, under a name that nobody else has. A directory with a
// socket in it takes the place of `lock/` only while that is absent or empty (rename(2)), and a dead
// holder's socket is removed by its own name: no step can undo what another process did meanwhile.
// Whether a holder lives is the kernel's word, by connecting to its socket: no pid counts.

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
import { systemCode } from "../errors.ts";
import { connectLocal } from "../json-lines.ts";

/** The longest path below the runtime folder that a socket is bound to. */
export const LONGEST_SOCKET_NAME = "lock.abcdef/abcdef";

export interface Hold {
  /** Gives the folder free. Of what another holder made since, nothing is touched. */
  release(): void;
}

/** Lets `server` listen at `path`, as the only one; undefined when another bridge has the folder. */
export async function holdFolder(path: string, server: Server): Promise<Hold | undefined> {
  const folder = dirname(path);
  const lock = join(folder, "lock");
  const id = randomBytes(4).toString("base64url");
  const draft = `${lock}.${id}`;
  mkdirSync(draft, { mode: 0o700 });
  // Listening before it is in its place: whoever finds it there finds it alive.
  await listen(server, join(draft, id)).catch((error: unknown) => {
    removeIfEmpty(draft);
    throw error;
  });
  if (!(await takePlace(draft, lock))) {
    server.close();
    rmSync(draft, { recursive: true, force: true });
    return undefined;
  }
  const release = () => {
    server.close();
    if (linkOf(path) === join("lock", id)) rmSync(path, { force: true });
    rmSync(join(lock, id), { force: true });
    removeIfEmpty(lock);
  };
  // A bridge of before this lock holds the path itself.
  if (await answers(path)) {
    release();
    return undefined;
  }
  symlinkSync(join("lock", id), `${path}.${id}`);
  renameSync(`${path}.${id}`, path);
  return { release };
}

/** False when the place is held by somebody who lives. */
async function takePlace(draft: string, lock: string): Promise<boolean> {
  while (!isMoved(draft, lock)) {
    for (const name of entriesOf(lock)) {
      const holder = join(lock, name);
      if (await answers(holder)) return false;
      rmSync(holder, { force: true });
    }
  }
  return true;
}

function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}

/** Nobody listens on a refusal alone: a queue that is full is somebody's. */
async function answers(path: string): Promise<boolean> {
  try {
    (await connectLocal(path)).destroy();
    return true;
  } catch (error) {
    return !["ECONNREFUSED", "ENOENT", "ENOTSOCK"].includes(systemCode(error) ?? "");
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

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not there, or a socket of its own: not ours either way.
    return undefined;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next holder is in it already, or has removed it.
  }
}
