// Owns a local socket: a file that only its user can open, and its connections, which close with
// it. The protocol on them belongs to the listener. Also owns JSON lines over a local socket: one
// value per line, both ways. A line that is not JSON, or too long, closes its connection. Splits a
// socket's data into lines. Rejects a line over the limit before all of it is in memory.

import { chmodSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer, createConnection } from "node:net";
import { setImmediate } from "node:timers/promises";
import { parseJson } from "../../protocol/json.ts";
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

const MAX_LINE = 1 << 20;

/**
 * Reads values one at a time: the next waits until `onValue` is done and the peer has read earlier
 * output, so a peer that requests much and reads nothing only blocks itself.
 */
export function readLines(socket: Socket, onValue: (value: unknown) => void | Promise<void>): void {
  const lines = new LineSplitter(MAX_LINE);
  const queue: string[] = [];
  let isBusy = false;
  const processQueue = async (): Promise<void> => {
    isBusy = true;
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      const value = parseJson(line);
      if (!value.ok) return void socket.destroy();
      await onValue(value.value);
      if (socket.writableNeedDrain) await waitForDrain(socket);
      if (socket.destroyed) return undefined;
      // Yields to other connections.
      if (queue.length > 0) await setImmediate();
    }
    isBusy = false;
    return void socket.resume();
  };
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    queue.push(...complete);
    // A thrown error closes this connection; its owner sees it as a socket error.
    if (!isBusy) processQueue().catch((error: Error) => socket.destroy(error));
    // Pause only with lines queued: a paused socket does not report that the peer left.
    if (queue.length > 0) socket.pause();
    return undefined;
  });
}

/** Resolves when the output is flushed or the socket closed. */
function waitForDrain(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}

export function writeLine(socket: Socket, value: object): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
}

/** A client connected to a `LineServer`. */
export interface LineClient {
  send(value: object): void;
  close(): void;
}

export interface LineEvents {
  onConnect?(client: LineClient): void;
  /** Handles one value; the next is delivered once this one is handled. */
  onValue(client: LineClient, value: unknown): void | Promise<void>;
  onDisconnect?(client: LineClient): void;
}

export class LineServer {
  readonly #socket: LocalSocket;
  readonly #clients = new Set<LineClient>();

  /** `server` may be passed when it already listens. */
  constructor(events: LineEvents, server: Server = createServer()) {
    this.#socket = new LocalSocket((socket) => {
      const client: LineClient = {
        send: (value) => writeLine(socket, value),
        close: () => void socket.destroy(),
      };
      this.#clients.add(client);
      socket.on("close", () => {
        this.#clients.delete(client);
        events.onDisconnect?.(client);
      });
      readLines(socket, (value) => events.onValue(client, value));
      events.onConnect?.(client);
    }, server);
  }

  /** Returns all connected clients. */
  get clients(): readonly LineClient[] {
    return [...this.#clients];
  }

  open(path: string): void {
    this.#socket.open(path);
  }

  close(): void {
    this.#socket.close();
  }
}

/** Connects; rejects if nothing listens there. */
export function connectLocal(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `maxBytes` is the maximum length of a line in bytes, without its end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that this chunk completes; undefined if a line is too long. */
  push(chunk: Buffer): string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      lines.push(Buffer.concat([...this.#pieces, chunk.subarray(from, end)]).toString("utf8"));
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    return this.#length > this.#maxBytes ? undefined : lines;
  }
}
