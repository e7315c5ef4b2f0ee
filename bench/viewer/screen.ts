// Owns one terminal as a viewer sees it: counts, finds marks, acks as the page does. Fails the measure
// when bytes are skipped, doubled or replaced, unless it is there only to make noise: a fast chain
// that loses some is not fast.

import { READY_MARK, SILENCE_MS } from "../plan.ts";
import type { Connection } from "./connection.ts";
import type { Received } from "./dialect.ts";
import { MarkFinder } from "./mark-finder.ts";
import type { Viewed } from "./viewing.ts";

/** This viewer was left without bytes: it was skipped and began anew, or nothing came any more. */
export class LossError extends Error {
  readonly kind: "skipped" | "stuck";

  constructor(kind: "skipped" | "stuck") {
    super(kind);
    this.kind = kind;
  }
}

interface Waiting {
  /** Resolved when the count or the mark is there. */
  readonly bytes: number;
  readonly finder: MarkFinder | undefined;
  reached(at: number): void;
  failed(error: Error): void;
}

export class Screen {
  readonly #connection: Connection;
  readonly #id: string;
  readonly #lossless: boolean;
  /** Whole messages: bytes outside the heap, so that keeping them does not slow the viewer. */
  #kept: { readonly data: Buffer; readonly binary: boolean }[] = [];
  #keeping = false;
  #offset = 0;
  #waiting: Waiting | undefined;
  #attached = false;
  #silence: NodeJS.Timeout | undefined;
  bytes = 0;
  messages = 0;
  skips = 0;

  private constructor(connection: Connection, { id }: Viewed, lossless: boolean) {
    this.#connection = connection;
    this.#id = id;
    this.#lossless = lossless;
    connection.listen(id, {
      received: (received, data, binary) => this.#onReceived(received, data, binary),
      failed: (error) => this.#fail(error),
    });
  }

  /** Attached, and its program has said that it is ready. Counts from there. */
  static async open(connection: Connection, viewed: Viewed, lossless = true): Promise<Screen> {
    const screen = new Screen(connection, viewed, lossless);
    const ready = screen.finds(READY_MARK);
    for (const message of connection.dialect.attach(viewed.id)) connection.send(message);
    await ready;
    screen.restart();
    // A page has acked what it shows before anybody types; that lets its driver pace from the start.
    screen.#ack(screen.#offset);
    return screen;
  }

  /** Attached; whatever is there is its first complete screen. */
  static async attach(connection: Connection, viewed: Viewed): Promise<void> {
    const screen = new Screen(connection, viewed, false);
    const first = screen.reaches(1);
    for (const message of connection.dialect.attach(viewed.id)) connection.send(message);
    await first;
  }

  /** Counts from nothing again. */
  restart(keeping = false): void {
    this.#kept = [];
    this.#keeping = keeping;
    this.bytes = 0;
    this.messages = 0;
  }

  /** Everything since a restart that keeps. Reads all of it once more: not while a clock runs. */
  *output(): Generator<string | Buffer> {
    for (const { data, binary } of this.#kept) yield this.#connection.dialect.body(data, binary);
  }

  /** When the last of so many bytes was there. */
  reaches(bytes: number): Promise<number> {
    return this.#wait(bytes, undefined, SILENCE_MS);
  }

  /** When the mark was there, in what comes from now on. */
  finds(mark: string, patienceMs = SILENCE_MS): Promise<number> {
    return this.#wait(Infinity, new MarkFinder(mark), patienceMs);
  }

  type(data: string): void {
    this.#connection.send(this.#connection.dialect.input(this.#id, data));
  }

  dispose(): void {
    clearTimeout(this.#silence);
  }

  #wait(bytes: number, finder: MarkFinder | undefined, patienceMs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(new LossError("stuck")), patienceMs);
      // A count that grows is worth waiting for; a mark has its time.
      this.#silence = finder === undefined ? timer : undefined;
      const end = (act: () => void) => {
        clearTimeout(timer);
        this.#waiting = undefined;
        act();
      };
      this.#waiting = {
        bytes,
        finder,
        reached: (at) => end(() => resolve(at)),
        failed: (error) => end(() => reject(error)),
      };
    });
  }

  #onReceived(
    received: Exclude<Received, { is: "failed" } | { is: "asked" }>,
    data: Buffer,
    binary: boolean,
  ): void {
    if (received.is === "attached") return this.#onAttached(received.text, received.next);
    const { offset, next } = received;
    if (offset !== this.#offset && this.#attached) {
      if (this.#lossless) {
        return this.#fail(new Error(`output at ${offset} where ${this.#offset} was due`));
      }
      if (next <= this.#offset) return undefined;
    }
    if (!this.#attached) this.#connection.begins(this.#id, offset);
    this.#attached = true;
    this.#offset = next;
    if (this.#keeping) this.#kept.push({ data, binary });
    return this.#take(received.data, next - offset);
  }

  #onAttached(text: string, next: number): void {
    const again = this.#attached;
    this.#attached = true;
    this.#offset = next;
    this.#connection.begins(this.#id, next);
    if (!again) return this.#take(text, Buffer.byteLength(text));
    this.skips++;
    if (this.#lossless) return this.#fail(new LossError("skipped"));
    // A new start has been rendered as soon as it is there.
    this.#ack(next);
    return this.#take(text, 0);
  }

  #take(data: string | Buffer, bytes: number): void {
    const now = performance.now();
    this.bytes += bytes;
    this.messages++;
    this.#silence?.refresh();
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      if (waiting.finder?.finds(data) === true || this.bytes >= waiting.bytes) waiting.reached(now);
      if (this.#lossless && this.bytes > waiting.bytes && waiting.bytes > 1) {
        waiting.failed(new Error("more bytes came than were printed"));
      }
    }
    this.#connection.rendered(this.#id, this.#offset);
  }

  #ack(offset: number): void {
    this.#connection.ack(new Map([[this.#id, offset]]));
  }

  #fail(error: Error): void {
    this.#waiting?.failed(error);
  }
}
