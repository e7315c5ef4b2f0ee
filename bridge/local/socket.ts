// Owns a local socket: a file that only its user can open, and its connections, which close with it.
// The protocol on them belongs to the listener.

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { MAX_GRANTS } from "../../protocol/limits.ts";

/** The sockets where each connection may take a grant; run/local-doors.ts opens one per name. */
const GRANTING = ["terminal.sock", "mcp.sock", "acp.sock"] as const;
export type GrantingSocket = (typeof GRANTING)[number];

/** Grants reserved for links and for agents that disconnected (MOST_GONE of grants/local-agents.ts). */
const KEPT_GRANTS = 64;

/** Per socket. All sockets share one limit of grants, so another socket would leave each fewer. */
export const MOST_CONNECTIONS = Math.floor((MAX_GRANTS - KEPT_GRANTS) / GRANTING.length);

/** Time limit for a connection's first line. */
export const FIRST_LINE_MS = 10_000;

/**
 * Closes a connection that sends no line in time, since it occupies a slot. Returns the function to
 * call on the first line.
 */
export function closeIfSilent(connection: Socket): () => void {
  const late = setTimeout(() => connection.destroy(), FIRST_LINE_MS);
  const spoke = () => clearTimeout(late);
  connection.on("close", spoke);
  return spoke;
}

export class LocalSocket {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  /** `server` may be passed when it already listens; `open` is then not called. */
  constructor(came: (connection: Socket) => void, server = createServer()) {
    this.#server = server;
    server.on("connection", (connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      connection.on("error", () => connection.destroy());
      try {
        came(connection);
      } catch {
        // For example no grant is available: only this connection closes.
        connection.destroy();
      }
    });
  }

  /** Listens at `path`. The folder is private and locked, so an existing file is stale. */
  open(path: string): void {
    rmSync(path, { force: true });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.listen(path, () => chmodSync(path, 0o600));
  }

  /** Stops listening, which removes the file, and closes all connections. */
  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }
}
