// Owns the near end of the bare chain: one process with node-pty and ws, one terminal at a time.
// It batches by the product's own rule and tells of its output in the product's words, so that the
// comparison is of the way and not of the batching. It knows no acks, no credit and no resume.

import { StringDecoder } from "node:string_decoder";
import type { IPty } from "node-pty";
import { spawn } from "node-pty";
import { WebSocket } from "ws";
import { whenToLeave } from "../bridge/pty-host/coalescer.ts";

export type Rendition = "json" | "raw";

/** From the parent. */
export type BareRequest =
  | {
      readonly do: "open";
      readonly id: string;
      readonly command: readonly string[];
      readonly as: Rendition;
    }
  | { readonly do: "close" };

class BareTerminal {
  readonly #id: string;
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

  constructor(socket: WebSocket, id: string, command: readonly string[], rendition: Rendition) {
    const [file = "", ...args] = command;
    this.#id = id;
    this.#socket = socket;
    this.#rendition = rendition;
    this.#pty = spawn(file, args, { encoding: null, cols: 80, rows: 24 });
    // Typed for text; with no encoding it gives bytes.
    this.#pty.onData((chunk: string | Buffer) => {
      this.#data(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    });
  }

  message(text: string): void {
    const message: { type: string; data?: string } = JSON.parse(text);
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
    const [id, next] = [this.#id, this.#offset];
    this.#socket.send(JSON.stringify({ type: "pty:attached", id, history, offset: 0, next }));
    this.#attached = true;
  }

  #pump(): void {
    if (!this.#attached || this.#waitingBytes === 0) return;
    const now = performance.now();
    const sinceLastMs = now - this.#sentAt;
    const leave = whenToLeave({ waiting: this.#waitingBytes, sinceLastMs, complete: false });
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
    if (this.#rendition === "raw") return this.#socket.send(bytes);
    const [id, data, next] = [this.#id, this.#decoder.write(bytes), this.#offset];
    const offset = next - bytes.length;
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
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    // The product's link has the same, for the same reason: see bridge/link.
    generateMask: (mask) => mask.fill(0),
  });
  let terminal: BareTerminal | undefined;
  socket.on("message", (data: Buffer) => terminal?.message(data.toString()));
  socket.on("open", () => process.send?.("ready"));
  socket.on("close", () => process.exit(0));
  process.on("disconnect", () => {
    terminal?.close();
    process.exit(0);
  });
  process.on("message", (request: BareRequest) => {
    terminal?.close();
    terminal =
      request.do === "open"
        ? new BareTerminal(socket, request.id, request.command, request.as)
        : undefined;
    process.send?.("done");
  });
}
