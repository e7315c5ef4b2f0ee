// Owns JSON lines over a local socket: one value a line, both ways. A line that is no JSON, or too
// long, ends its connection. The one server of such lines is here, for every process that has one.

import type { Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { parseJson } from "../../protocol/json.ts";
import { Lines } from "./lines.ts";
import { LocalSocket } from "./socket.ts";

const MAX_LINE = 1 << 20;

/**
 * One value after the other: the next one waits until this one is dealt with, and until the other end
 * has taken what it was told. Whoever asks much and reads nothing waits in its own socket.
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
      // Everybody else has a turn.
      if (waiting.length > 0) await setImmediate();
    }
    isBusy = false;
    return void socket.resume();
  };
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    waiting.push(...complete);
    // A fault costs this connection, and its owner hears of it as of any error of a socket.
    if (!isBusy) deal().catch((error: Error) => socket.destroy(error));
    // Not with nothing in hand: a paused socket does not tell that the other end has left.
    if (waiting.length > 0) socket.pause();
    return undefined;
  });
}

/** What was written is out, or will never be. */
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

/** One end of a conversation in lines. */
export interface LineCaller {
  tell(value: object): void;
  close(): void;
}

export interface LineEvents {
  came?(caller: LineCaller): void;
  /** The next one comes once this one is dealt with. */
  value(caller: LineCaller, value: unknown): void | Promise<void>;
  left?(caller: LineCaller): void;
}

export class LineServer {
  readonly #door: LocalSocket;
  readonly #callers = new Set<LineCaller>();

  /** `server` is given when it listens already. */
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

  /** Everybody who is connected. */
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

/** Rejects when nothing listens there. */
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
