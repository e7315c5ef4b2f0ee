// Owns one viewer's socket: attaching, counting, and telling when a count is reached. Fails the
// measure when bytes are skipped, doubled or replaced: a fast chain that loses some is not fast.

import { WebSocket } from "ws";
import { READY_MARK, SILENCE_MS } from "./plan.ts";
import type { Viewed } from "./viewing.ts";

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly data?: string;
  readonly history?: string;
  readonly offset?: number;
  readonly next?: number;
  readonly error?: string;
}

const NO_BYTES = Buffer.alloc(0);

/** This viewer was left without bytes: it was skipped and began anew, or nothing came any more. */
export class LossError extends Error {
  readonly kind: "skipped" | "stuck";

  constructor(kind: "skipped" | "stuck") {
    super(kind);
    this.kind = kind;
  }
}

export class Screen {
  readonly #socket: WebSocket;
  readonly #id: string;
  /** Whole messages: bytes outside the heap, so that keeping them does not slow the viewer. */
  #kept: { readonly data: Buffer; readonly binary: boolean }[] = [];
  #bytes = 0;
  #offset = 0;
  #attached = false;
  #target = Infinity;
  #silence: NodeJS.Timeout | undefined;
  #reached: (at: number) => void = () => {};
  #failed: (error: Error) => void = () => {};
  /** Said after each piece of output. */
  onBytes: () => void = () => {};

  private constructor({ url, protocols, id }: Viewed) {
    this.#id = id;
    this.#socket = new WebSocket(url, [...protocols], { perMessageDeflate: false });
    this.#socket.on("message", (data: Buffer, binary) => this.#onMessage(data, binary));
    this.#socket.on("close", (code) => this.#failed(new Error(`the socket closed with ${code}`)));
    this.#socket.on("error", (error) => this.#failed(error));
  }

  /** Attached, and the program has said that it is ready. Counts from there. */
  static async open(viewed: Viewed): Promise<Screen> {
    const screen = new Screen(viewed);
    const ready = screen.reaches(READY_MARK.length);
    screen.#socket.once("open", () => screen.#send({ type: "pty:attach", id: viewed.id }));
    await ready;
    screen.#kept = [];
    screen.#bytes = 0;
    return screen;
  }

  /** Where the stream goes on. */
  get offset(): number {
    return this.#offset;
  }

  get messages(): number {
    return this.#kept.length;
  }

  /** Everything printed since it opened. Parses all of it once more: not while a clock runs. */
  *output(): Generator<string | Buffer> {
    for (const { data, binary } of this.#kept) yield binary ? data : (parse(data).data ?? "");
  }

  /** When the last of so many bytes was there. */
  reaches(bytes: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#failed(new LossError("stuck")), SILENCE_MS);
      this.#silence = timer;
      this.#target = bytes;
      this.#reached = (at) => {
        clearTimeout(timer);
        resolve(at);
      };
      this.#failed = (error) => {
        clearTimeout(timer);
        reject(error);
      };
    });
  }

  type(data: string): void {
    this.#send({ type: "pty:input", id: this.#id, data });
  }

  ack(offset: number): void {
    this.#send({ type: "pty:ack", id: this.#id, offset });
  }

  close(): void {
    this.#socket.terminate();
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #onMessage(data: Buffer, binary: boolean): void {
    if (binary) return this.#take(data, true, data.length);
    const message = parse(data);
    if (message.id !== this.#id) return undefined;
    if (message.type === "pty:output") return this.#onOutput(data, message);
    if (message.type === "pty:attached") return this.#onAttached(message);
    if (message.type === "pty:error") this.#failed(new Error(message.error));
    return undefined;
  }

  #onAttached({ history = "", next = 0 }: Message): void {
    if (this.#attached) return this.#failed(new LossError("skipped"));
    this.#attached = true;
    this.#offset = next;
    return this.#take(NO_BYTES, false, history.length);
  }

  #onOutput(whole: Buffer, { offset = 0, next = 0 }: Message): void {
    if (offset !== this.#offset) {
      return this.#failed(new Error(`output at ${offset} where ${this.#offset} was due`));
    }
    this.#offset = next;
    return this.#take(whole, false, next - offset);
  }

  #take(data: Buffer, binary: boolean, bytes: number): void {
    this.#kept.push({ data, binary });
    this.#bytes += bytes;
    this.#silence?.refresh();
    if (this.#bytes > this.#target) this.#failed(new Error("more bytes came than were printed"));
    if (this.#bytes >= this.#target) this.#reached(performance.now());
    this.onBytes();
  }
}

function parse(data: Buffer): Message {
  return JSON.parse(data.toString());
}
