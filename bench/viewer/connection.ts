// Owns one viewer's socket: says and hears in its dialect, hands what is heard to the screens on it,
// and reads as slowly as it is told to.

import type { Dialect, Heard, Message } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { Transport } from "./transport.ts";
import { dial } from "./transport.ts";
import type { Viewed } from "./viewing.ts";

export interface Listener {
  heard(heard: Exclude<Heard, { is: "failed" }>, data: Buffer, binary: boolean): void;
  failed(error: Error): void;
}

export class Connection {
  readonly dialect: Dialect;
  readonly #transport: Transport;
  readonly #listeners = new Map<string, Listener>();
  /** Of messages, with everything in them. */
  receivedBytes = 0;
  #rate = Infinity;
  #mayReadAt = 0;

  private constructor({ id, dialect }: Viewed, transport: Transport) {
    this.dialect = DIALECTS[dialect](id);
    this.#transport = transport;
    transport.onMessage = (data, binary) => this.#onMessage(data, binary);
    transport.onEnd = (error) => this.#fail(error);
  }

  static async open(viewed: Viewed): Promise<Connection> {
    const connection = new Connection(viewed, await dial(viewed));
    for (const message of connection.dialect.hello()) connection.send(message);
    return connection;
  }

  listen(id: string, listener: Listener): void {
    this.#listeners.set(id, listener);
  }

  send(message: Message): void {
    this.#transport.send(message);
  }

  /** From now on it takes so many bytes a second from the socket, and no more. */
  readAt(bytesPerSecond: number): void {
    this.#rate = bytesPerSecond;
    this.#mayReadAt = performance.now();
  }

  close(): void {
    this.#listeners.clear();
    this.#transport.close();
  }

  #onMessage(data: Buffer, binary: boolean): void {
    this.receivedBytes += data.length;
    if (this.#rate !== Infinity) this.#rest(data.length);
    const heard = this.dialect.hear(data, binary);
    if (heard === undefined) return;
    if (heard.is === "failed") return this.#fail(new Error(heard.error));
    this.#listeners.get(heard.id)?.heard(heard, data, binary);
  }

  /** A message takes as long as its bytes do; meanwhile the socket is not read. */
  #rest(bytes: number): void {
    const now = performance.now();
    this.#mayReadAt = Math.max(this.#mayReadAt, now) + (bytes / this.#rate) * 1000;
    this.#transport.pause();
    setTimeout(() => {
      if (performance.now() + 0.5 >= this.#mayReadAt) this.#transport.resume();
    }, this.#mayReadAt - now);
  }

  #fail(error: Error): void {
    for (const listener of this.#listeners.values()) listener.failed(error);
  }
}
