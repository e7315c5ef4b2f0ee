// Owns the host's socket file: replaced only if nothing answers on it, created with 0600, removed
// at the end only if it is still ours. The bridge creates the folder (0700).

import { chmodSync, statSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";

export interface Listener {
  /** Stops listening and removes the file. */
  close(): void;
}

/** Listens; rejects if another host answers there. */
export async function listenOn(path: string, accept: (socket: Socket) => void): Promise<Listener> {
  if (await isAnswered(path)) throw new Error(`another pty host answers on ${path}`);
  removeStale(path);
  const server = createServer(accept);
  await bind(server, path);
  chmodSync(path, 0o600);
  const { ino } = statSync(path);
  return {
    close: () => {
      // Closing removes the file by its name, even if another host created it.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) server.close();
    },
  };
}

async function bind(server: Server, path: string): Promise<void> {
  // `listen` creates the file synchronously; children must not inherit the stricter mask.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/** Removes a stale socket; never another file, in case of a wrong path. */
function removeStale(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
}
