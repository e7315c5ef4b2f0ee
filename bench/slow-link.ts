// Owns a TCP proxy that is a link: it carries bytes late and no faster than told, in both directions,
// and counts the WebSocket messages that pass. What it has taken in waits in its own bounded queue, as
// in a router: a sender that goes on is held back.

import type { AddressInfo, Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { MessageCounter } from "./message-counter.ts";

export interface LinkOptions {
  /** Where it listens: an address of this machine that a bridge takes for another is 127.0.0.2. */
  readonly host: string;
  readonly target: number;
  readonly rttMs: number;
  /** Each way; Infinity for a link that only counts. */
  readonly bytesPerSecond: number;
}

export interface Counts {
  readonly messages: number;
  readonly bytes: number;
}

/** What a router keeps: a tenth of a second at 1 MB/s is 100 KB. */
const QUEUE_BYTES = 128 * 1024;
/** The bucket: what may pass at once after a pause. */
const BURST_BYTES = 8 * 1024;

export class SlowLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** From whoever dialled to the target, and back; of all connections. */
  readonly up: MessageCounter[] = [];
  readonly down: MessageCounter[] = [];

  private constructor(options: LinkOptions) {
    this.#server = createServer((near) => {
      const far = createConnection({ host: "127.0.0.1", port: options.target, noDelay: true });
      near.setNoDelay(true);
      const [up, down] = [new MessageCounter(), new MessageCounter()];
      this.up.push(up);
      this.down.push(down);
      carry(near, far, options, up);
      carry(far, near, options, down);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
    });
  }

  static async start(options: LinkOptions): Promise<SlowLink> {
    const link = new SlowLink(options);
    await new Promise<void>((resolve) => {
      link.#server.listen(0, options.host, resolve);
    });
    return link;
  }

  get port(): number {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens
    return (this.#server.address() as AddressInfo).port;
  }

  /** Towards the target, of every connection there was. */
  sent(): Counts {
    return sum(this.up);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** One direction: bytes leave the queue at the rate, and arrive half a round trip later, in order. */
function carry(
  from: Socket,
  to: Socket,
  { rttMs, bytesPerSecond }: LinkOptions,
  counter: MessageCounter,
): void {
  const isFree = bytesPerSecond === Infinity;
  const under = new Timeline();
  const away = new Timeline();
  let queued = 0;
  let freeAt = 0;
  from.on("data", (chunk: Buffer) => {
    counter.take(chunk);
    if (isFree && rttMs === 0) return void to.write(chunk);
    queued += chunk.length;
    if (queued >= QUEUE_BYTES && !isFree) from.pause();
    for (const piece of toPieces(chunk, isFree ? chunk.length : BURST_BYTES)) {
      freeAt = Math.max(performance.now(), freeAt) + (piece.length / bytesPerSecond) * 1000;
      under.add(freeAt, () => {
        queued -= piece.length;
        if (queued < QUEUE_BYTES) from.resume();
      });
      away.add(freeAt + rttMs / 2, () => {
        if (!to.destroyed) to.write(piece);
      });
    }
    return undefined;
  });
}

/** Things to do at rising times, by one timer: several would overtake each other. */
class Timeline {
  #waiting: { readonly at: number; readonly run: () => void }[] = [];
  #isArmed = false;

  add(at: number, run: () => void): void {
    this.#waiting.push({ at, run });
    if (!this.#isArmed) this.#arm();
  }

  #arm(): void {
    const [next] = this.#waiting;
    this.#isArmed = next !== undefined;
    if (next !== undefined) setTimeout(() => this.#due(), Math.max(0, next.at - performance.now()));
  }

  #due(): void {
    // Timers have whole milliseconds; the next one is as good as due.
    const now = performance.now() + 0.5;
    const rest = this.#waiting.findIndex(({ at }) => at > now);
    const due = this.#waiting.splice(0, rest < 0 ? this.#waiting.length : rest);
    for (const { run } of due) run();
    this.#arm();
  }
}

function* toPieces(chunk: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < chunk.length; start += size) {
    yield chunk.subarray(start, start + size);
  }
}

function sum(counters: readonly MessageCounter[]): Counts {
  return {
    messages: counters.reduce((total, { messages }) => total + messages, 0),
    bytes: counters.reduce((total, { bytes }) => total + bytes, 0),
  };
}
