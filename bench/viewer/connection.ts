// Owns one viewer's socket: says and hears in its dialect, hands what is heard to the screens on it,
// and reads as slowly as it is told to.

import { Acks } from "../../web/session/acks.ts";
import type { Dialect, Received, Message } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { Transport } from "./transport.ts";
import { dial } from "./transport.ts";
import type { Viewed } from "./viewing.ts";

export interface Listener {
  received(
    received: Exclude<Received, { is: "failed" } | { is: "asked" }>,
    data: Buffer,
    binary: boolean,
  ): void;
  failed(error: Error): void;
}

export class Connection {
  readonly dialect: Dialect;
  readonly #transport: Transport;
  readonly #listeners = new Map<string, Listener>();
  /** Of messages, with everything in them. */
  receivedBytes = 0;
  acksSent = 0;
  #acks: Acks | undefined;
  #rate = Infinity;
  #mayReadAt = 0;

  private constructor({ id, dialect, acks }: Viewed, transport: Transport) {
    this.dialect = DIALECTS[dialect](id);
    if (acks !== "never") {
      this.#acks = new Acks({
        send: (rendered, proof) => this.ack(rendered, proof),
        eager: acks === "eager",
      });
    }
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

  /** The screen of this terminal begins at `offset`. */
  begins(id: string, offset: number): void {
    this.#acks?.restart(id, offset);
  }

  /** Everything before `offset` is on the screen. */
  rendered(id: string, offset: number): void {
    this.#acks?.onRendered(id, offset);
  }

  ack(rendered: ReadonlyMap<string, number>, proof?: number): void {
    if (this.#acks === undefined) return;
    for (const message of this.dialect.ack(rendered, proof)) {
      this.acksSent++;
      this.send(message);
    }
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
    this.#acks?.dispose();
    this.#listeners.clear();
    this.#transport.close();
  }

  #onMessage(data: Buffer, binary: boolean): void {
    this.receivedBytes += data.length;
    if (this.#rate !== Infinity) this.#rest(data.length);
    const received = this.dialect.hear(data, binary);
    if (received === undefined) return;
    if (received.is === "failed") return this.#fail(new Error(received.error));
    if (received.is === "asked") return this.#prove(received.n);
    this.#listeners.get(received.id)?.received(received, data, binary);
  }

  #prove(n: number): void {
    if (this.#acks !== undefined) return this.#acks.answerProof(n);
    for (const message of this.dialect.ack(new Map(), n)) this.send(message);
    return undefined;
  }

  /** A message takes as long as its bytes do; meanwhile the socket is not read. */
  #rest(bytes: number): void {
    const now = performance.now();
    this.#mayReadAt = Math.max(this.#mayReadAt, now) + (bytes / this.#rate) * 1000;
    this.#transport.pause();
    const until = this.#mayReadAt;
    // Timers cut off what is less than a millisecond.
    setTimeout(
      () => {
        if (until === this.#mayReadAt) this.#transport.resume();
      },
      Math.ceil(until - now),
    );
  }

  #fail(error: Error): void {
    for (const listener of this.#listeners.values()) listener.failed(error);
  }
}
