// Owns a local socket: a file that only its user can open, and its connections, which close with it.
// The protocol on them belongs to the listener.

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { MAX_GRANTS } from "../../protocol/limits.ts";

/** The sockets where each connection may take a grant; run/local-doors.ts opens one per name. */
const GRANTING_SOCKETS = ["terminal.sock", "mcp.sock", "acp.sock"] as const;
export type GrantingSocket = (typeof GRANTING_SOCKETS)[number];

/** Grants reserved for links and for agents that disconnected (MAX_GONE of grants/local-agents.ts). */
const RESERVED_GRANTS = 64;

/**
 * Limit per socket. All sockets share one limit of grants, so a further socket would leave fewer
 * for each.
 */
export const MAX_CONNECTIONS = Math.floor((MAX_GRANTS - RESERVED_GRANTS) / GRANTING_SOCKETS.length);

/** Time limit for a connection's first line. */
export const FIRST_LINE_TIMEOUT_MS = 10_000;

/**
 * Closes a connection that sends no line in time, since it occupies a slot. Returns the function to
 * call on the first line.
 */
export function closeIfSilent(connection: Socket): () => void {
  const timer = setTimeout(() => connection.destroy(), FIRST_LINE_TIMEOUT_MS);
  const cancel = () => clearTimeout(timer);
  connection.on("close", cancel);
  return cancel;
}

export class LocalSocket {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  /** `server` may be passed when it already listens; `open` is then not called. */
  constructor(onConnection: (connection: Socket) => void, server = createServer()) {
    this.#server = server;
    server.on("connection", (connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      connection.on("error", () => connection.destroy());
      try {
        onConnection(connection);
      } catch {
        // For example, no grant is available: only this connection closes.
        connection.destroy();
      }
    });
  }

  /** Listens at `path`. The folder is private and locked, so an existing file is stale. */
  open(path: string): void {
    rmSync(path, { force: true });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.listen(path, () => chmodSync(path, 0o600));
  }

  /** Stops listening, which removes the file, and closes all connections. */
  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }
}
