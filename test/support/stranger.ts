// Owns a client that keeps no rule: it upgrades, and then writes whatever it likes, whatever it is
// told. Sockets of ws would answer a close, and send nothing behind it.

import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { createConnection } from "node:net";

const BINARY = 0x2;
const FIN = 0x80;
const COMPRESSED = 0x40;
const MASKED = 0x80;

export interface StrangerOptions {
  readonly protocols?: readonly string[];
  readonly headers?: readonly string[];
}

export class Stranger {
  readonly socket: Socket;
  /** The answer's status, once there is one; 0 if the connection ended before. */
  readonly status: Promise<number>;
  readonly ended: Promise<void>;
  isOver = false;

  constructor(port: number, path: string, { protocols = [], headers = [] }: StrangerOptions = {}) {
    this.socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      this.socket.once("close", () => {
        this.isOver = true;
        resolve();
      });
    });
    this.status = new Promise((resolve) => {
      this.socket.once("data", (bytes: Buffer) => resolve(Number(bytes.toString().slice(9, 12))));
      this.socket.once("close", () => resolve(0));
    });
    this.socket.on("data", () => undefined);
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...(protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(", ")}`] : []),
      ...headers,
    ];
    this.socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  }

  /** Resolves when it is written, or the connection is over. */
  send(bytes: Uint8Array): Promise<void> {
    if (this.isOver || this.socket.destroyed) return this.ended;
    return new Promise((resolve) => {
      this.socket.write(bytes, () => resolve());
      void this.ended.then(resolve);
    });
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** RFC 6455's own example. Not zero: the runtime spares itself the work on those. */
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** One frame as a client sends it. */
export function wireFrame(
  payload: Uint8Array,
  { opcode = BINARY, compressed = false }: { opcode?: number; compressed?: boolean } = {},
): Buffer {
  const { length } = payload;
  const long = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + long + 4);
  head[0] = FIN | (compressed ? COMPRESSED : 0) | opcode;
  head[1] = MASKED | (long === 0 ? length : long === 2 ? 126 : 127);
  if (long === 2) head.writeUInt16BE(length, 2);
  if (long === 8) head.writeBigUInt64BE(BigInt(length), 2);
  MASK.copy(head, 2 + long);
  const masked = Buffer.from(payload);
  for (let at = 0; at < length; at++) masked[at] = (masked[at] ?? 0) ^ (MASK[at % 4] ?? 0);
  return Buffer.concat([head, masked]);
}

/** Of a token's form, and nobody's. */
export function strangeToken(): string {
  return `pp_${randomBytes(5).toString("hex")}_${randomBytes(16).toString("hex")}`;
}
