// Owns JSON lines over a local socket: one value a line, both ways. Bad lines end the connection.

import type { Socket } from "node:net";
import { createConnection } from "node:net";

const MAX_LINE = 1 << 20;

export function readLines(socket: Socket, onValue: (value: unknown) => void): void {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE) return void socket.destroy();
    for (const line of lines) {
      try {
        onValue(JSON.parse(line));
      } catch {
        return void socket.destroy();
      }
    }
    return undefined;
  });
}

export function writeLine(socket: Socket, value: object): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
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
