// Owns JSON lines over a local socket: one value per line, both ways. A line that is not JSON, or too
// long, closes its connection.

import type { Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { parseJson } from "../../protocol/json.ts";
import { Lines } from "./lines.ts";
import { LocalSocket } from "./socket.ts";

const MAX_LINE = 1 << 20;

/**
 * Reads values one at a time: the next waits until `onValue` is done and the peer has read earlier
 * output, so a peer that requests much and reads nothing only blocks itself.
 */
export function readLines(socket: Socket, onValue: (value: unknown) => void | Promise<void>): void {
  const lines = new Lines(MAX_LINE);
  const waiting: string[] = [];
  let isBusy = false;
  const deal = async (): Promise<void> => {
    isBusy = true;
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const value = parseJson(line);
      if (!value.ok) return void socket.destroy();
      await onValue(value.value);
      if (socket.writableNeedDrain) await taken(socket);
      if (socket.destroyed) return undefined;
      // Yields to other connections.
      if (waiting.length > 0) await setImmediate();
    }
    isBusy = false;
    return void socket.resume();
  };
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    waiting.push(...complete);
    // A thrown error closes this connection; its owner sees it as a socket error.
    if (!isBusy) deal().catch((error: Error) => socket.destroy(error));
    // Pause only with lines queued: a paused socket does not report that the peer left.
    if (waiting.length > 0) socket.pause();
    return undefined;
  });
}

/** Resolves when the output is flushed or the socket closed. */
function taken(socket: Socket): Promise<void> {
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
export interface LineCaller {
  tell(value: object): void;
  close(): void;
}

export interface LineEvents {
  came?(caller: LineCaller): void;
  /** Handles one value; the next is delivered once this one is handled. */
  value(caller: LineCaller, value: unknown): void | Promise<void>;
  left?(caller: LineCaller): void;
}

export class LineServer {
  readonly #door: LocalSocket;
  readonly #callers = new Set<LineCaller>();

  /** `server` may be passed when it already listens. */
  constructor(events: LineEvents, server: Server = createServer()) {
    this.#door = new LocalSocket((socket) => {
      const caller: LineCaller = {
        tell: (value) => writeLine(socket, value),
        close: () => void socket.destroy(),
      };
      this.#callers.add(caller);
      socket.on("close", () => {
        this.#callers.delete(caller);
        events.left?.(caller);
      });
      readLines(socket, (value) => events.value(caller, value));
      events.came?.(caller);
    }, server);
  }

  /** Returns all connected clients. */
  get callers(): readonly LineCaller[] {
    return [...this.#callers];
  }

  open(path: string): void {
    this.#door.open(path);
  }

  close(): void {
    this.#door.close();
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
