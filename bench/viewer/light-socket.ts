// Owns a WebSocket client that costs next to nothing a message, so that one process can be 200
// viewers: it reads headers, keeps the two ends of a message, and skips what lies between.

import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import type { Message } from "./dialect.ts";

const HEAD_BYTES = 24;
const TAIL_BYTES = 32;
const READ_BYTES = 256 * 1024;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;

export interface LightMessage {
  readonly binary: boolean;
  readonly length: number;
  /** The first bytes. */
  readonly head: Buffer;
  /** The last bytes. */
  readonly tail: Buffer;
  /** All of it, if it was wanted. */
  readonly whole: Buffer | undefined;
}

export interface LightListener {
  /** Asked once the head is there. */
  wants(binary: boolean, head: Buffer): boolean;
  message(message: LightMessage): void;
  ended(why: string): void;
}

/** Masked, and without a code. */
const CLOSE_FRAME = Buffer.from([0x80 | CLOSE, 0x80, 0, 0, 0, 0]);

/** For all sockets of this process: what is read is used before the next read. */
const SHARED = Buffer.allocUnsafe(READ_BYTES);
const NONE: Buffer = Buffer.alloc(0);

export class LightSocket {
  readonly #socket: Socket;
  readonly #listener: LightListener;
  #rest = NONE;
  #opened: (() => void) | undefined;
  /** Of the message that is being read. */
  #opcode = 0;
  #length = 0;
  #left = 0;
  #head = NONE;
  #tail = NONE;
  #parts: Buffer[] | undefined;

  private constructor(url: string, protocols: readonly string[], listener: LightListener) {
    this.#listener = listener;
    const { hostname, port, pathname, search, host } = new URL(url);
    this.#socket = createConnection({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: SHARED,
        callback: (bytes) => {
          this.#read(SHARED.subarray(0, bytes));
          return true;
        },
      },
    });
    this.#socket.on("error", (error) => listener.ended(error.message));
    this.#socket.on("close", () => listener.ended("the socket closed"));
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      ...(protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(", ")}`] : []),
    ];
    this.#socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  }

  static async open(
    url: string,
    protocols: readonly string[],
    listener: LightListener,
  ): Promise<LightSocket> {
    const socket = new LightSocket(url, protocols, listener);
    await new Promise<void>((resolve, reject) => {
      socket.#opened = resolve;
      socket.#socket.once("close", () => reject(new Error("the socket closed at the door")));
    });
    return socket;
  }

  /** Masked with nothing: the mask is for proxies, and there is none here. */
  send(message: Message): void {
    const bytes = Buffer.from(message);
    const opcode = typeof message === "string" ? TEXT : BINARY;
    const long = bytes.length > 125;
    const header = Buffer.alloc(long ? 8 : 6);
    header[0] = 0x80 | opcode;
    header[1] = 0x80 | (long ? 126 : bytes.length);
    if (long) header.writeUInt16BE(bytes.length, 2);
    this.#socket.write(Buffer.concat([header, bytes]));
  }

  /** Reads nothing more: what is sent to it stays where it is. */
  stall(): void {
    this.#socket.pause();
  }

  /** Says so first: whoever counts viewers should not have to find out. */
  close(): void {
    if (this.#socket.writable) this.#socket.write(CLOSE_FRAME);
    this.#socket.destroySoon();
  }

  #read(chunk: Buffer): void {
    if (this.#opened !== undefined) return this.#readAnswer(chunk);
    let bytes = chunk;
    if (this.#left === 0 && this.#rest.length > 0) bytes = Buffer.concat([this.#rest, chunk]);
    this.#rest = NONE;
    while (bytes.length > 0) {
      if (this.#left > 0) {
        const part = bytes.subarray(0, this.#left);
        bytes = bytes.subarray(part.length);
        this.#take(part);
        continue;
      }
      const header = parseHeader(bytes);
      if (header === undefined) {
        this.#rest = Buffer.from(bytes);
        return;
      }
      bytes = bytes.subarray(header.size);
      this.#begin(header.opcode, header.length);
    }
  }

  #readAnswer(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) {
      this.#rest = bytes;
      return;
    }
    const opened = this.#opened;
    this.#opened = undefined;
    this.#rest = NONE;
    if (!bytes.toString("latin1", 0, 12).endsWith("101")) {
      this.#listener.ended(bytes.toString("latin1", 0, end));
      return void this.#socket.destroy();
    }
    opened?.();
    const behind = Buffer.from(bytes.subarray(end + 4));
    if (behind.length > 0) this.#read(behind);
    return undefined;
  }

  #begin(opcode: number, length: number): void {
    this.#opcode = opcode;
    this.#length = length;
    this.#left = length;
    this.#head = NONE;
    this.#tail = NONE;
    this.#parts = undefined;
    if (length === 0) this.#end();
  }

  #take(part: Buffer): void {
    this.#left -= part.length;
    const missing = Math.min(HEAD_BYTES, this.#length) - this.#head.length;
    if (missing > 0) {
      this.#head = Buffer.concat([this.#head, part.subarray(0, missing)]);
      const complete = this.#head.length === Math.min(HEAD_BYTES, this.#length);
      if (complete && this.#listener.wants(this.#opcode === BINARY, this.#head)) {
        this.#parts = [this.#head, Buffer.from(part.subarray(missing))];
      }
    } else this.#parts?.push(Buffer.from(part));
    this.#tail = findEnd(this.#tail, part);
    if (this.#left === 0) this.#end();
  }

  #end(): void {
    if (this.#opcode === CLOSE) return this.#listener.ended("the server closed");
    if (this.#opcode !== TEXT && this.#opcode !== BINARY) return undefined;
    return this.#listener.message({
      binary: this.#opcode === BINARY,
      length: this.#length,
      head: this.#head,
      tail: this.#tail,
      whole: this.#parts && Buffer.concat(this.#parts),
    });
  }
}

function parseHeader(
  bytes: Buffer,
): { readonly opcode: number; readonly length: number; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const opcode = (bytes[0] ?? 0) & 0x0f;
  const short = (bytes[1] ?? 0) & 0x7f;
  if (short < 126) return { opcode, length: short, size: 2 };
  if (short === 126) {
    return bytes.length < 4 ? undefined : { opcode, length: bytes.readUInt16BE(2), size: 4 };
  }
  return bytes.length < 10 ? undefined : { opcode, length: bytes.readUInt32BE(6), size: 10 };
}

/** Copied: the shared buffer is written over. */
function findEnd(before: Buffer, part: Buffer): Buffer {
  if (part.length >= TAIL_BYTES) return Buffer.from(part.subarray(-TAIL_BYTES));
  const both = Buffer.concat([before, part]);
  return both.subarray(Math.max(0, both.length - TAIL_BYTES));
}
