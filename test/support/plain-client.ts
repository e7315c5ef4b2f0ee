// Owns two clients of the pty dialect for tests: one written from the protocol's text alone, and one
// that also uses the optional fields to resume, as the page does.

import type { ClientOptions } from "ws";
import { WebSocket } from "ws";
import { PLAIN_SUBPROTOCOL } from "../../protocol/limits.ts";
import { PATIENCE_MS, REACH, untilWoken } from "./waiting.ts";

export interface Message {
  readonly type: string;
  readonly id?: string;
  readonly data?: string;
  readonly history?: string;
  readonly offset?: number;
  readonly next?: number;
  readonly epoch?: number;
  readonly [field: string]: unknown;
}

/** How a client gets to the relay, where that is not straight. */
export interface Through extends Pick<ClientOptions, "headers"> {
  readonly ca?: string;
  readonly servername?: string;
}

/** Knows attach, detach, input and resize; attached, output, exit and error. */
export class PlainClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  /** History and output of each terminal, as a screen would get it. */
  readonly text = new Map<string, string>();
  /** The last of it. */
  readonly #recent = new Map<string, string>();
  closed: { code: number; reason: string } | undefined;
  onMessage: (message: Message) => void = () => {};
  readonly #watchers = new Set<() => void>();

  constructor(url: string, token: string, options: Through = {}) {
    this.socket = new WebSocket(url, [PLAIN_SUBPROTOCOL, token], {
      perMessageDeflate: false,
      ...options,
    });
    this.socket.on("message", (data: Buffer) => this.#onMessage(data.toString()));
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#wake();
    });
    this.socket.on("error", () => {});
    // Keepalive, as real clients have. It also lets workerd end the connection in time when the
    // room closes it: of a client that never sent anything it keeps the TCP side for 10 s more.
    this.socket.on("open", () => this.socket.send("ping"));
  }

  static async connect(url: string, token: string, options: Through = {}): Promise<PlainClient> {
    const client = new PlainClient(url, token, options);
    await client.opened();
    return client;
  }

  async opened(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.socket.once("open", () => resolve());
      this.socket.once("error", reject);
    });
  }

  send(message: object | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  attach(id: string, place: { epoch?: number; offset?: number } = {}): void {
    this.send({ type: "pty:attach", id, ...place });
  }

  type(id: string, data: string): void {
    this.send({ type: "pty:input", id, data });
  }

  /** The first message that fits, from `from` on. */
  async message(
    fits: (message: Message) => boolean,
    what: string,
    timeoutMs = PATIENCE_MS,
    from = 0,
  ): Promise<Message> {
    let at = from;
    // Each message is looked at once: all of a flood at every message would cost its square.
    const next = (): Message | undefined => {
      if (at > this.messages.length) at = 0;
      while (at < this.messages.length) {
        const message = this.messages[at++];
        if (message !== undefined && fits(message)) return message;
      }
      return undefined;
    };
    return await untilWoken(
      this.#watchers,
      next,
      timeoutMs,
      () => `${what} did not come; got ${this.#summary()}`,
    );
  }

  ofType(type: string, from = 0): Promise<Message> {
    return this.message((message) => message.type === type, type, PATIENCE_MS, from);
  }

  async shows(id: string, part: string | RegExp, timeoutMs = PATIENCE_MS): Promise<string> {
    let looked = false;
    return await untilWoken(
      this.#watchers,
      () => {
        const text = (looked ? this.#recent : this.text).get(id) ?? "";
        looked = true;
        const found = typeof part === "string" ? text.includes(part) : part.test(text);
        return found ? this.text.get(id) : undefined;
      },
      timeoutMs,
      () => `${String(part)} was not shown; the end is ${(this.text.get(id) ?? "").slice(-300)}`,
    );
  }

  async closes(timeoutMs = PATIENCE_MS): Promise<{ code: number; reason: string }> {
    return await untilWoken(
      this.#watchers,
      () => this.closed,
      timeoutMs,
      () => `the socket stayed open; got ${this.#summary()}`,
    );
  }

  /** Drops what was kept of a terminal; a long test would drown in it. */
  forget(id: string): void {
    this.text.delete(id);
    this.#recent.delete(id);
    this.messages.splice(0);
  }

  close(): void {
    this.socket.terminate();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #onMessage(text: string): void {
    if (text === "pong") return;
    const message: Message = JSON.parse(text);
    this.messages.push(message);
    this.#follow(message);
    this.onMessage(message);
    this.#wake();
  }

  #follow({ type, id = "", history, data = "" }: Message): void {
    if (type === "pty:attached" && history !== undefined) {
      this.text.set(id, history);
      this.#recent.set(id, history);
    }
    if (type !== "pty:output") return;
    this.text.set(id, (this.text.get(id) ?? "") + data);
    this.#recent.set(id, (this.#recent.get(id) ?? "").slice(-REACH) + data);
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #summary(): string {
    const recent = this.messages.slice(-6).map((message) => JSON.stringify(message).slice(0, 160));
    const end =
      this.closed === undefined ? "" : `; closed ${this.closed.code} ${this.closed.reason}`;
    return `[${recent.join(", ")}]${end}`;
  }
}

/** Follows one terminal through cuts, as the page does: by epoch and offset. */
export class ResumingViewer {
  readonly #url: string;
  readonly #token: string;
  readonly #id: string;
  readonly #watchers = new Set<() => void>();
  #client: PlainClient | undefined;
  #place: { epoch: number; offset: number } | undefined;
  #stopped = false;
  #attached = false;
  text = "";
  /** The end of it: all of a long text at every message would cost its square. */
  recent = "";
  /** Times a history replaced what was shown. */
  restarts = 0;
  reconnects = 0;
  holes = 0;

  constructor(url: string, token: string, id: string) {
    this.#url = url;
    this.#token = token;
    this.#id = id;
    this.#dial();
  }

  send(message: object): void {
    this.#client?.send(message);
  }

  type(data: string): void {
    this.send({ type: "pty:input", id: this.#id, data });
  }

  async attached(): Promise<void> {
    await this.until(() => this.#place !== undefined);
  }

  async until(look: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
    await untilWoken(
      this.#watchers,
      look,
      timeoutMs,
      () => `not reached after ${this.reconnects} reconnects; the end is ${this.text.slice(-200)}`,
    );
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#client?.close();
  }

  #dial(): void {
    const client = new PlainClient(this.#url, this.#token);
    this.#client = client;
    this.#attached = false;
    client.onMessage = (message) => {
      // The bridge greets whoever it knows: before that nobody is there to attach to.
      if (message.type === "pty:terminals" && !this.#attached) {
        client.attach(this.#id, this.#place ?? {});
      }
      this.#follow(message);
      for (const watcher of this.#watchers) watcher();
    };
    client.socket.on("close", () => {
      if (this.#stopped) return;
      this.reconnects++;
      setTimeout(() => this.#dial(), 50);
    });
  }

  #follow(message: Message): void {
    if (message.id !== this.#id) return;
    const { epoch = 0, offset = 0, next = 0 } = message;
    if (message.type === "pty:attached") {
      this.#attached = true;
      if (message.history !== undefined) {
        if (this.#place !== undefined) this.restarts++;
        this.text = message.history;
        this.recent = message.history;
      }
      this.#place = { epoch, offset: next };
    }
    if (message.type !== "pty:output" || this.#place === undefined) return;
    if (offset !== this.#place.offset) {
      this.holes++;
      return;
    }
    this.text += message.data ?? "";
    this.recent = this.recent.slice(-REACH) + (message.data ?? "");
    this.#place = { ...this.#place, offset: next };
  }
}
