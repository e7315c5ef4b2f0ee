// Owns a socket for this machine: a file that only its user can reach, and the connections that came
// in by it, which end with it. What is said on them is the listener's.

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { MAX_GRANTS } from "../../protocol/limits.ts";

/** The sockets at which each connection may take a grant; run/local-doors.ts opens one for each name. */
const GRANTING = ["terminal.sock", "mcp.sock", "acp.sock"] as const;
export type GrantingSocket = (typeof GRANTING)[number];

/** Of all grants, for links and for agents that have left (MOST_GONE of grants/local-agents.ts). */
const KEPT_GRANTS = 64;

/** At one socket. The grants are shared by everybody: one more socket leaves each of them fewer. */
export const MOST_CONNECTIONS = Math.floor((MAX_GRANTS - KEPT_GRANTS) / GRANTING.length);

/** For a connection's first line. */
export const FIRST_LINE_MS = 10_000;

/** Closes a connection that says no line: it keeps another one's place. Returns what to call when it did. */
export function closeIfSilent(connection: Socket): () => void {
  const late = setTimeout(() => connection.destroy(), FIRST_LINE_MS);
  const spoke = () => clearTimeout(late);
  connection.on("close", spoke);
  return spoke;
}

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
