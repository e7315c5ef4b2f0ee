// Owns a connection to the pty host: the frames that it sent, sorted, and waiting for more of them.
// What a bridge says to the host stands in host-client.ts.

import type { Socket } from "node:net";
import { FrameDecoder, encodeFrame } from "../../protocol/frame.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { Exited, Failed, Gap, HostWelcome, TerminalState } from "../../protocol/host.ts";
import { toPayload } from "../../protocol/json.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { read } from "./frames.ts";
import { Received } from "./heard.ts";
import { PATIENCE_MS, untilWoken } from "./waiting.ts";

export class HostConnection {
  readonly frames: Frame[] = [];
  readonly states: { readonly handle: number; readonly state: TerminalState }[] = [];
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder();
  readonly #received = new Map<number, Received>();
  readonly #watchers = new Set<() => void>();
  closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => {
      const decoded = this.#decoder.push(chunk);
      if (!decoded.ok) throw new Error(`the host sent no frames: ${decoded.error.fault}`);
      for (const frame of decoded.frames) this.#take(frame);
      this.#wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  get welcome(): HostWelcome {
    const frame = this.frames.find(({ type }) => type === FrameType.hostWelcome);
    if (frame === undefined) throw new Error("no welcome yet");
    return read(HostWelcome, frame);
  }

  get failures(): Failed[] {
    return this.frames
      .filter(({ type }) => type === FrameType.failed)
      .map((frame) => read(Failed, frame));
  }

  send(type: number, stream: number, value?: object): void {
    this.bytes(type, stream, value === undefined ? new Uint8Array(0) : toPayload(value));
  }

  bytes(type: number, stream: number, payload: Uint8Array): void {
    this.#socket.write(encodeFrame(type, stream, payload));
  }

  /** Not frames at all, maybe. */
  raw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  credit(handle: number, offset: number): void {
    this.bytes(FrameType.credit, handle, encodeOffset(offset));
  }

  received(handle: number): Received {
    const known = this.#received.get(handle);
    if (known !== undefined) return known;
    const received = new Received();
    this.#received.set(handle, received);
    return received;
  }

  text(handle: number): string {
    return this.received(handle).text;
  }

  has(type: number): boolean {
    return this.frames.some((frame) => frame.type === type);
  }

  async gone(): Promise<void> {
    await this.until("the end of the connection", () => this.closed);
  }

  /** Looks again after whatever comes, until there is an answer. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    return await untilWoken(this.#watchers, look, PATIENCE_MS, () => `waited in vain for ${what}`);
  }

  /** Stops or goes on reading the socket, as a bridge that hangs would. */
  hang(hung: boolean): void {
    if (hung) this.#socket.pause();
    else this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #take(frame: Frame): void {
    const received = this.received(frame.stream);
    switch (frame.type) {
      case FrameType.output: {
        const due = received.takeOutput(frame.payload);
        if (due !== undefined) this.credit(frame.stream, due);
        return;
      }
      case FrameType.gap:
        received.takeGap(read(Gap, frame));
        return;
      case FrameType.exited:
        received.exited = read(Exited, frame);
        return;
      case FrameType.activity:
        received.activity += 1;
        return;
      case FrameType.terminalState:
        this.states.push({
          handle: frame.stream,
          state: read(TerminalState, frame),
        });
        return;
      default:
        this.frames.push(frame);
    }
  }
}
