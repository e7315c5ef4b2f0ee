// Owns the near end of the bare chain: one process with node-pty and ws, and a few terminals.
// It batches by the product's own rule and tells of its output in the product's words, so that the
// comparison is of the way and not of the batching. It knows no acks, no credit and no resume.

import { StringDecoder } from "node:string_decoder";
import type { IPty } from "node-pty";
import { spawn } from "node-pty";
import { WebSocket } from "ws";
import { decideSend } from "../bridge/pty-host/reader.ts";
import { UPLINK_WINDOW } from "../protocol/limits.ts";
import { bareId, encodeBytes } from "./viewer/bytes-dialect.ts";

export type Rendition = "json" | "bytes";

/** From the parent. */
export type BareRequest =
  | {
      readonly do: "open";
      readonly terminal: number;
      readonly command: readonly string[];
      readonly as: Rendition;
    }
  | { readonly do: "close"; readonly terminal: number }
  /** Sends so many messages of so many bytes as fast as the socket takes them. */
  | { readonly do: "burst"; readonly messages: number; readonly bytes: number };

interface FromViewer {
  readonly type: string;
  readonly id?: string;
  readonly data?: string;
}

class BareTerminal {
  readonly #terminal: number;
  readonly #socket: WebSocket;
  readonly #rendition: Rendition;
  readonly #pty: IPty;
  readonly #decoder = new StringDecoder("utf8");
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #offset = 0;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #attached = false;

  constructor(socket: WebSocket, { terminal, command, as }: Extract<BareRequest, { do: "open" }>) {
    const [file = "", ...args] = command;
    this.#terminal = terminal;
    this.#socket = socket;
    this.#rendition = as;
    this.#pty = spawn(file, args, { encoding: null, cols: 80, rows: 24 });
    // Typed for text; with no encoding it gives bytes.
    this.#pty.onData((chunk: string | Buffer) => {
      this.#data(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    });
  }

  message(message: FromViewer): void {
    if (message.type === "pty:input") this.#pty.write(message.data ?? "");
    if (message.type === "pty:attach") this.#attach();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#attached = false;
    process.kill(-this.#pty.pid, "SIGKILL");
  }

  #data(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#pump();
  }

  #attach(): void {
    const history = this.#decoder.write(this.#take());
    const [id, next] = [bareId(this.#terminal), this.#offset];
    this.#socket.send(JSON.stringify({ type: "pty:attached", id, history, offset: 0, next }));
    this.#attached = true;
  }

  #pump(): void {
    if (!this.#attached || this.#waitingBytes === 0) return;
    const now = performance.now();
    const sinceLastMs = now - this.#sentAt;
    const leave = decideSend({ waiting: this.#waitingBytes, sinceLastMs, complete: false });
    if (!leave.now) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#pump();
      }, Math.ceil(leave.waitMs));
      return;
    }
    this.#sentAt = now;
    this.#send(this.#take());
  }

  #send(bytes: Buffer): void {
    const next = this.#offset;
    const offset = next - bytes.length;
    if (this.#rendition === "bytes") {
      return this.#socket.send(encodeBytes(this.#terminal, offset, bytes));
    }
    const [id, data] = [bareId(this.#terminal), this.#decoder.write(bytes)];
    return this.#socket.send(JSON.stringify({ type: "pty:output", id, data, offset, next }));
  }

  #take(): Buffer {
    const [first] = this.#waiting;
    const one = this.#waiting.length === 1 ? first : undefined;
    const bytes = one ?? Buffer.concat(this.#waiting, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#offset += bytes.length;
    return bytes;
  }
}

/** The process: dials, then does what its parent says. */
export function runBareHost(url: string): void {
  // It masks, as every client does that nobody told otherwise.
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const terminals = new Map<string, BareTerminal>();
  const closeAll = () => {
    for (const terminal of terminals.values()) terminal.close();
  };
  socket.on("message", (data: Buffer) => {
    const message: FromViewer = JSON.parse(data.toString());
    terminals.get(message.id ?? "")?.message(message);
  });
  socket.on("open", () => process.send?.("ready"));
  socket.on("close", () => process.exit(0));
  process.on("disconnect", () => {
    closeAll();
    process.exit(0);
  });
  process.on("message", (request: BareRequest) => {
    if (request.do === "burst") void burst(socket, request.messages, request.bytes);
    else {
      const id = bareId(request.terminal);
      terminals.get(id)?.close();
      terminals.delete(id);
      if (request.do === "open") terminals.set(id, new BareTerminal(socket, request));
    }
    process.send?.("done");
  });
}

/** As many under way as the product's bridge would have: a hidden queue of all would be no rival. */
async function burst(socket: WebSocket, messages: number, bytes: number): Promise<void> {
  const body = Buffer.alloc(bytes, "x");
  for (let i = 0; i < messages; i++) {
    socket.send(encodeBytes(0, i * bytes, body));
    while (socket.bufferedAmount > UPLINK_WINDOW) await new Promise(setImmediate);
  }
}
