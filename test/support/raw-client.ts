// Owns a viewer of the raw rendition for tests: follows terminals by offset as the page does, takes
// in as many bytes a second as it is told to, and says what it has taken in.

import { WebSocket } from "ws";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { ACK_BYTES, ACK_MS, RAW_SUBPROTOCOL } from "../../protocol/limits.ts";
import { decodeOffset, decodeOutput, encodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import { PATIENCE_MS, REACH, untilWoken } from "./waiting.ts";
import type { Message } from "./plain-client.ts";

/** What a viewer knows of one terminal. */
export interface Followed {
  readonly id: string;
  channel: number;
  epoch: number;
  /** The snapshot of the last new start, if it had one. */
  snapshot: string | undefined;
  /** Bytes since then, and where the first of them is in the stream. */
  readonly bytes: Buffer[];
  /** The last of them. */
  recent: Buffer;
  from: number;
  next: number;
  rendered: number;
  acked: number;
  /** How often it was given a place. */
  starts: number;
  /** Bytes that should have come and did not. */
  holes: number;
}

export interface RawViewing {
  /** Bytes a second; undefined as fast as they come, 0 none. */
  readonly speed?: number;
  /** Keep the bytes; a long test would drown in them. */
  readonly keep?: boolean;
}

export class RawClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly terminals = new Map<string, Followed>();
  closed: { code: number; reason: string } | undefined;
  acksSent = 0;
  readonly #viewing: RawViewing;
  readonly #watchers = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;

  constructor(url: string, token: string, viewing: RawViewing = {}) {
    this.#viewing = viewing;
    this.socket = new WebSocket(url, [RAW_SUBPROTOCOL, token], { perMessageDeflate: false });
    this.socket.on("message", (data: Buffer, binary) => {
      if (binary) this.#onFrame(data);
      else this.#onText(data.toString());
      this.#wake();
    });
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#wake();
    });
    this.socket.on("error", () => {});
    this.socket.on("open", () => this.socket.send("ping"));
    this.#timer = setInterval(() => this.#render(), ACK_MS);
  }

  static async connect(url: string, token: string, viewing?: RawViewing): Promise<RawClient> {
    const client = new RawClient(url, token, viewing);
    await new Promise<void>((resolve, reject) => {
      client.socket.once("open", () => resolve());
      client.socket.once("error", reject);
    });
    return client;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  attach(id: string, place: { epoch?: number; offset?: number } = {}): void {
    this.send({ type: "pty:attach", id, ...place });
  }

  type(id: string, data: string): void {
    this.send({ type: "pty:input", id, data });
  }

  of(id: string): Followed {
    const followed = this.terminals.get(id);
    if (followed === undefined) throw new Error(`not attached to ${id}`);
    return followed;
  }

  text(id: string): string {
    const { snapshot = "", bytes } = this.of(id);
    return snapshot + Buffer.concat(bytes).toString();
  }

  async until<T>(find: () => T | undefined, what: string, timeoutMs = PATIENCE_MS): Promise<T> {
    return await untilWoken(this.#watchers, find, timeoutMs, () => `${what}; ${this.#summary()}`);
  }

  async shows(id: string, part: RegExp, timeoutMs?: number): Promise<string> {
    let looked: Followed | undefined;
    return await this.until(
      () => {
        const followed = this.terminals.get(id);
        if (followed === undefined) return undefined;
        // All of it once for each start; then what is new.
        const text = looked === followed ? followed.recent.toString() : this.text(id);
        looked = followed;
        return part.test(text) ? this.text(id) : undefined;
      },
      `${String(part)} was not shown`,
      timeoutMs,
    );
  }

  async message(fits: (message: Message) => boolean, what: string): Promise<Message> {
    return await this.until(() => this.messages.find(fits), `${what} did not come`);
  }

  async attached(id: string, starts = 1): Promise<Followed> {
    return await this.until(() => {
      const followed = this.terminals.get(id);
      return followed !== undefined && followed.starts >= starts ? followed : undefined;
    }, `no start number ${starts} of ${id}`);
  }

  close(): void {
    clearInterval(this.#timer);
    this.socket.terminate();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #onText(text: string): void {
    if (text === "pong") return;
    const message: Message = JSON.parse(text);
    this.messages.push(message);
    if (message.type === "pty:attached") this.#onAttached(message);
  }

  #onAttached(message: Message): void {
    const { id = "", channel, epoch = 0, offset = 0, snapshot } = message;
    const before = this.terminals.get(id);
    const fresh = typeof snapshot === "string";
    const goesOn = !fresh && before !== undefined && before.next === offset;
    this.terminals.set(id, {
      id,
      channel: Number(channel),
      epoch,
      snapshot: goesOn ? before.snapshot : fresh ? snapshot : undefined,
      bytes: goesOn ? before.bytes : [],
      recent: goesOn ? before.recent : Buffer.alloc(0),
      from: goesOn ? before.from : offset,
      next: offset,
      rendered: offset,
      acked: offset,
      starts: (before?.starts ?? 0) + 1,
      holes: before?.holes ?? 0,
    });
  }

  #onFrame(data: Buffer): void {
    for (const frame of decodeFrames(data).frames) {
      if (frame.type === FrameType.proof) {
        this.socket.send(
          encodeAcks(0, [{ channel: PROOF_CHANNEL, offset: decodeOffset(frame.payload) ?? 0 }]),
        );
      }
      if (frame.type !== FrameType.output) continue;
      const output = decodeOutput(frame.payload);
      const followed = [...this.terminals.values()].find((one) => one.channel === frame.stream);
      if (output === undefined || followed === undefined) continue;
      if (output.span === 0) this.#onText(Buffer.from(output.body).toString());
      else this.#onOutput(followed, output.offset, output.body);
    }
  }

  #onOutput(followed: Followed, offset: number, body: Uint8Array): void {
    const end = offset + body.length;
    if (end <= followed.next) return;
    if (offset > followed.next) followed.holes++;
    const fresh = body.subarray(Math.max(0, followed.next - offset));
    if (this.#viewing.keep !== false) followed.bytes.push(Buffer.from(fresh));
    followed.recent = Buffer.concat([followed.recent.subarray(-REACH), fresh]);
    followed.next = end;
    if (this.#viewing.speed !== undefined) return;
    followed.rendered = end;
    if (followed.rendered - followed.acked >= ACK_BYTES) this.#ack([followed]);
  }

  #render(): void {
    const { speed } = this.#viewing;
    const waiting: Followed[] = [];
    for (const followed of this.terminals.values()) {
      const most = speed === undefined ? Infinity : (speed * ACK_MS) / 1000;
      followed.rendered = Math.min(followed.next, followed.rendered + most);
      if (followed.rendered > followed.acked) waiting.push(followed);
    }
    if (waiting.length === 0) return;
    this.#ack(waiting);
    this.#wake();
  }

  #ack(terminals: readonly Followed[]): void {
    if (terminals.length === 0 || this.socket.readyState !== WebSocket.OPEN) return;
    for (const one of terminals) one.acked = Math.floor(one.rendered);
    const acks = terminals.map(({ channel, acked }) => ({ channel, offset: acked }));
    this.acksSent++;
    this.socket.send(encodeAcks(0, acks));
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #summary(): string {
    const recent = this.messages.slice(-5).map((message) => JSON.stringify(message).slice(0, 160));
    const terminals = Array.from(
      this.terminals.values(),
      ({ id, next, acked, starts, holes }) =>
        `${id}@${next}/${acked} ${starts} starts ${holes} holes`,
    );
    return `${terminals.join(", ")}; ${recent.join(", ")}; ${JSON.stringify(this.closed)}`;
  }
}
