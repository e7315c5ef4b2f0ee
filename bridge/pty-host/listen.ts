// Owns the host's socket file: replaced only when nothing answers on it, 0600 from its first moment,
// removed at the end only if it is still ours. The folder (0700) is the bridge's work.

import { chmodSync, statSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";

export interface Listening {
  /** Stops listening and removes the file. */
  close(): void;
}

/** Rejects if another host answers there. */
export async function listenOn(path: string, accept: (socket: Socket) => void): Promise<Listening> {
  if (await answers(path)) throw new Error(`another pty host answers on ${path}`);
  removeStale(path);
  const server = createServer(accept);
  await bind(server, path);
  chmodSync(path, 0o600);
  const { ino } = statSync(path);
  return {
    close: () => {
      // Closing removes the file by its name, whoever made it.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) server.close();
    },
  };
}

async function bind(server: Server, path: string): Promise<void> {
  // The file is made inside `listen`; children must not inherit the narrower mask.
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

async function answers(path: string): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/** Only ever a socket: a path given by mistake must not cost a file. */
function removeStale(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
}
