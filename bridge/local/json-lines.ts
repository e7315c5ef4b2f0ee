// Owns JSON lines over a local socket: one value a line, both ways. A line that is no JSON, or too
// long, ends its connection. The one server of such lines is here, for every process that has one.

import type { Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { parseJson } from "../../protocol/json.ts";
import { Lines } from "./lines.ts";
import { LocalSocket } from "./socket.ts";

const MAX_LINE = 1 << 20;

export function readLines(socket: Socket, onValue: (value: unknown) => void): void {
  const lines = new Lines(MAX_LINE);
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    for (const line of complete) {
      const value = parseJson(line);
      if (!value.ok) return void socket.destroy();
      onValue(value.value);
    }
    return undefined;
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
  value(caller: LineCaller, value: unknown): void;
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
