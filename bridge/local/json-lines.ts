// Owns JSON lines over a local socket: one value per line, both ways. A line that is not JSON, or too
// long, closes its connection.

import type { Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { parseJson } from "../../protocol/json.ts";
import { LineSplitter } from "./line-splitter.ts";
import { LocalSocket } from "./local-socket.ts";

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
