// Owns the bridge's end of the pty host's socket: typed calls out, typed events in. Handles,
// offsets and bytes only; the pool knows what a terminal is for.

import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Frame } from "../../protocol/frame.ts";
import { encodeFrame, toFrameBytes } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Read, Spawn, Answer, Checkpoint } from "../../protocol/host.ts";
import {
  Activity,
  Exited,
  Failed,
  Gap,
  HostWelcome,
  Query,
  ScreenState,
  TerminalState,
  Title,
  encodeAnswer,
  encodeCheckpoint,
} from "../../protocol/host.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { FRAME_SOFT_BYTES } from "../../protocol/limits.ts";
import { decodeOutput, encodeOffset } from "../../protocol/output.ts";
import { toBytes } from "../../protocol/text.ts";
import { FrameReader } from "./frame-reader.ts";
import type { HostEvents, HostTerminal } from "./host-reports.ts";
import { HostGreeting } from "./host-greeting.ts";
import { HostReports } from "./host-reports.ts";
import type { HostScreen } from "./host-requests.ts";
import { HostRequests } from "./host-requests.ts";
import { Unavailable } from "./unavailable.ts";

export interface RetainedBytes {
  /** Offset of the first byte. */
  readonly offset: number;
  readonly bytes: Buffer;
}

export class HostClient {
  /** Path of its socket. */
  readonly path: string;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #requests = new HostRequests();
  readonly #reports = new HostReports();
  readonly #greeting = new HostGreeting();
  #closed = false;
  #leaving = false;

  private constructor(path: string) {
    this.path = path;
    const callback = (length: number) => {
      this.#onData(length);
      return true;
    };
    const socket = connect({ path, onread: { buffer: () => this.#reader.getBuffer(), callback } });
    this.#socket = socket;
    socket.on("close", () => this.#onClose("the pty host closed its socket"));
    socket.on("error", (error) => this.#onClose(error.message));
  }

  /** Connects; rejects without a compatible host. `looks`: only to read `found`. */
  static async connect(path: string, looks = false): Promise<HostClient> {
    const client = new HostClient(path);
    const socket = client.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    const send = (hello: Uint8Array) => client.#send(FrameType.hostHello, 0, hello);
    await client.#greeting.greet(send, looks).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    return client;
  }

  get welcome(): HostWelcome {
    return this.#greeting.welcome;
  }

  /** Returns the terminals that existed when this bridge connected. */
  get found(): readonly HostTerminal[] {
    return this.#reports.found;
  }

  /** Subscribes to the events; allowed once. */
  listen(events: HostEvents): void {
    this.#reports.listen(events);
  }

  /**
   * Starts a terminal. Calls `accept` synchronously on the answer: the next frame may already have
   * output or the exit. Calls `late` instead if the promise timed out before: the terminal runs,
   * but is unwanted.
   */
  spawn<T>(
    spec: Omit<Spawn, "request">,
    accept: (terminal: HostTerminal) => T,
    late: (terminal: HostTerminal) => void,
  ): Promise<T> {
    return this.#requests.spawn(accept, late, (request) =>
      this.#send(FrameType.spawn, 0, toPayload({ ...spec, request })),
    );
  }

  /**
   * Fetches retained bytes from `from` on, at most the last `most`. Calls `accept` synchronously on
   * the answer: without `to`, no output comes between its bytes and the call.
   */
  fetch<T>(
    handle: number,
    from: number,
    most: number,
    accept: (retained: RetainedBytes) => T,
    to?: number,
  ): Promise<T> {
    return this.#requests.fetch(most, accept, (request) =>
      this.#send(FrameType.fetch, handle, toPayload({ request, from, most, to, steps: true })),
    );
  }

  /** Requests what a screen needs beside the bytes; undefined with an older host. */
  screen(handle: number, since: number, checkpoint: boolean): Promise<HostScreen> | undefined {
    if (this.welcome.screens !== true) return undefined;
    return this.#requests.screen((request) =>
      this.#send(FrameType.screenAsk, handle, toPayload({ request, since, checkpoint })),
    );
  }

  setCheckpoint(handle: number, checkpoint: Checkpoint): void {
    if (this.welcome.screens !== true) return;
    this.#send(FrameType.checkpoint, handle, encodeCheckpoint(checkpoint));
  }

  answer(handle: number, answer: Answer): void {
    this.#send(FrameType.answer, handle, encodeAnswer(answer));
  }

  input(handle: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += FRAME_SOFT_BYTES) {
      this.#send(FrameType.input, handle, bytes.subarray(at, at + FRAME_SOFT_BYTES));
    }
  }

  resize(handle: number, cols: number, rows: number): void {
    this.#send(FrameType.resize, handle, toPayload({ cols, rows }));
  }

  signal(handle: number, signal: string): void {
    this.#send(FrameType.signal, handle, toPayload({ signal }));
  }

  read(handle: number, read: Read): void {
    this.#send(FrameType.read, handle, toPayload(read));
  }

  credit(handle: number, offset: number): void {
    this.#send(FrameType.credit, handle, encodeOffset(offset));
  }

  unread(handle: number): void {
    this.#send(FrameType.unread, handle);
  }

  setMeta(handle: number, meta: Record<string, unknown>): void {
    this.#send(FrameType.setMeta, handle, toPayload({ meta }));
  }

  /** Drops a finished terminal that the host retains. */
  forget(handle: number): void {
    this.#send(FrameType.forget, handle);
  }

  setState(text: string): void {
    this.#send(FrameType.setState, 0, toBytes(text));
  }

  /** Requests the host to end its terminals and itself; `closed` does not fire then. */
  shutdown(): void {
    this.#send(FrameType.shutdown, 0);
    this.#leaving = true;
  }

  /** Resolves when the host has answered, so it is alive and has processed earlier requests. */
  nudge(): Promise<void> {
    return this.#requests.nudge(() => this.#send(FrameType.nudge, 0));
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  /** Sends a frame; fails all pending requests if the host is gone. */
  #send(type: number, stream: number, payload?: Uint8Array): void {
    if (this.#closed) return this.#requests.failAll("the pty host is gone");
    this.#socket.write(encodeFrame(type, stream, payload));
    return undefined;
  }

  #onData(length: number): void {
    const decoded = this.#reader.onRead(length);
    for (const frame of decoded.frames) {
      try {
        this.#onFrame(frame);
      } catch (error) {
        if (this.#reports.listener === undefined) throw error;
        this.#reports.listener.onFault(frame.type, error);
      }
    }
    if (!decoded.ok) this.#socket.destroy(new Error(`bad frame: ${decoded.error.fault}`));
  }

  /** Handles a frame. Answers in pieces keep their memory: the requester may hold on to it. */
  #onFrame(frame: Frame): void {
    switch (frame.type) {
      case FrameType.output: {
        const output = decodeOutput(frame.payload);
        if (output === undefined) return;
        const { offset, span, body } = output;
        const { lease } = this.#reader;
        const whole = toFrameBytes(frame);
        this.#reports.listener?.onOutput(frame.stream, { offset, span, body, frame: whole, lease });
        return;
      }
      case FrameType.chunk:
        this.#reader.lease.keep();
        return this.#requests.onChunk(frame);
      case FrameType.activity:
        return this.#withPayload(Activity, frame, ({ end }) =>
          this.#reports.listener?.onActivity(frame.stream, end),
        );
      case FrameType.gap:
        return this.#withPayload(Gap, frame, (gap) =>
          this.#reports.listener?.onGap(frame.stream, gap),
        );
      case FrameType.exited:
        return this.#withPayload(Exited, frame, ({ exit, end }) =>
          this.#reports.onExited(frame.stream, exit, end),
        );
      case FrameType.query:
        return this.#withPayload(Query, frame, (query) =>
          this.#reports.onQuery(frame.stream, query),
        );
      case FrameType.title:
        return this.#withPayload(Title, frame, ({ title }) =>
          this.#reports.onTitle(frame.stream, title),
        );
      case FrameType.checkpoint:
        this.#reader.lease.keep();
        return this.#requests.onCheckpoint(frame.payload);
      case FrameType.screenState:
        return this.#withPayload(ScreenState, frame, (state) => this.#requests.screenState(state));
      case FrameType.terminalState:
        return this.#withPayload(TerminalState, frame, (state) => {
          const terminal = { ...state, handle: frame.stream };
          if (state.request === undefined) this.#reports.addFound(terminal);
          else this.#requests.onSpawned(state.request, terminal);
        });
      case FrameType.failed:
        return this.#withPayload(Failed, frame, (failed) => {
          if (failed.request === 0) this.#greeting.fail(new Error(failed.error));
          else this.#requests.onFailed(failed);
        });
      case FrameType.hostWelcome:
        return this.#withPayload(HostWelcome, frame, (welcome) =>
          this.#greeting.onWelcome(welcome),
        );
      case FrameType.caughtUp:
        return this.#greeting.onCaughtUp();
      case FrameType.alive:
        return this.#requests.onAlive();
      default:
        // Ignores unknown frames: a newer host may send more types.
        return undefined;
    }
  }

  #withPayload<T>(
    schema: Parameters<typeof parsePayload<T>>[0],
    frame: Frame,
    then: (value: T) => void,
  ) {
    const parsed = parsePayload(schema, frame.payload);
    if (parsed.ok) return then(parsed.value);
    this.#socket.destroy(new Error(`bad payload in frame ${frame.type}: ${parsed.error}`));
    return undefined;
  }

  #onClose(reason: string): void {
    this.#requests.failAll(reason);
    this.#greeting.fail(new Unavailable(reason));
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#leaving) this.#reports.onClosed(reason);
  }
}
