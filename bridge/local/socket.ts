// Owns a socket for this machine: a file that only its user can reach, and the connections that came
// in by it, which end with it. What is said on them is the listener's.

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";

/**
 * At a door each may take a grant, of which there are 256 (MAX_GRANTS) for everybody: the three doors
 * of run/local-doors.ts leave 64 of them for links and for agents that have left (MOST_GONE of
 * grants/local-agents.ts).
 */
export const MOST_CONNECTIONS = 64;

export class LocalSocket {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  /** `server` is given when it listens already; its place is then not this one's. */
  constructor(came: (connection: Socket) => void, server = createServer()) {
    this.#server = server;
    server.on("connection", (connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      connection.on("error", () => connection.destroy());
      try {
        came(connection);
      } catch {
        // There is no place for it, of grants for example: its end says so, and others go on.
        connection.destroy();
      }
    });
  }

  /** In a folder that is the user's alone and locked: what stands there was left behind. */
  open(path: string): void {
    rmSync(path, { force: true });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.listen(path, () => chmodSync(path, 0o600));
  }

  /** The file goes with the listener. */
  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }
}
