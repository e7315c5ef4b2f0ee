// Owns a TCP proxy in front of a relay that keeps every byte of every connection, in both
// directions. What a WebSocket client masks is kept unmasked, too: masks would hide every word.

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createConnection, createServer } from "node:net";

const HEAD_END = "\r\n\r\n";

/** One direction of one connection. */
interface Recorded {
  readonly chunks: Buffer[];
  readonly isToRelay: boolean;
}

interface RecordedMessage {
  readonly isText: boolean;
  /** Without its mask. */
  readonly data: Buffer;
}

/** The WebSocket messages of one direction, one for each frame. */
export interface RecordedSocket {
  /** First line of the request, or of its response. */
  readonly start: string;
  readonly isToRelay: boolean;
  readonly messages: readonly RecordedMessage[];
}

export class RecordingProxy {
  readonly #server = createServer((near) => this.#carry(near));
  readonly #sockets = new Set<Socket>();
  readonly #recorded: Recorded[] = [];
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
  }

  static async start(target: number): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Everything so far: each direction as it was, and its WebSocket payloads without masks. */
  get bytes(): Buffer {
    const all = this.#recorded.map(({ chunks }) => Buffer.concat(chunks));
    return Buffer.concat(all.flatMap((bytes) => [bytes, ...unmask(bytes).map(({ data }) => data)]));
  }

  get sockets(): RecordedSocket[] {
    return this.#recorded.flatMap(({ chunks, isToRelay }) => {
      const bytes = Buffer.concat(chunks);
      const messages = unmask(bytes);
      const start = bytes.toString("latin1", 0, bytes.indexOf("\r\n"));
      return messages.length === 0 ? [] : [{ start, isToRelay, messages }];
    });
  }

  #carry(near: Socket): void {
    const far = createConnection(this.#target, "127.0.0.1");
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const chunks: Buffer[] = [];
      this.#recorded.push({ chunks, isToRelay: from === near });
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk: Buffer) => void chunks.push(chunk));
      from.on("error", end);
      from.on("close", end);
      from.pipe(to);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Returns the messages of all WebSocket frames behind the head of a request or response. */
function unmask(bytes: Buffer): RecordedMessage[] {
  const head = bytes.indexOf(HEAD_END);
  if (head < 0 || !/^upgrade: websocket\r$/im.test(bytes.toString("latin1", 0, head + 2))) {
    return [];
  }
  const messages: RecordedMessage[] = [];
  let at = head + HEAD_END.length;
  while (at + 2 <= bytes.length) {
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const isMasked = (bytes.readUInt8(at + 1) & 0x80) !== 0;
    const more = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = at + 2 + more + (isMasked ? 4 : 0);
    if (start > bytes.length) break;
    const length =
      more === 0
        ? short
        : more === 2
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    const payload = Buffer.from(bytes.subarray(start, start + length));
    if (isMasked) {
      const mask = bytes.subarray(start - 4, start);
      for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0);
    }
    const opcode = bytes.readUInt8(at) & 0x0f;
    const isControl = opcode >= 8;
    if (!isControl) messages.push({ isText: opcode === 1, data: payload });
    at = start + length;
  }
  return messages;
}
