// Owns one socket to a bridge: framing, back-pressure and its end; and the interface through which
// terminals send to the bridge. requests.ts handles frames; host.ts decides which connection is the
// client.

import type { Socket } from "node:net";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Frame } from "../../protocol/frame.ts";
import {
  FRAME_HEADER_BYTES,
  FrameDecoder,
  encodeFrame,
  writeFrameHeader,
} from "../../protocol/frame.ts";
import type { Query } from "../../protocol/host.ts";
import { toPayload } from "../../protocol/json.ts";
import { FRAME_SOFT_BYTES, KiB, PTY_READ_BYTES } from "../../protocol/limits.ts";
import {
  CHUNK_HEADER_BYTES,
  CHUNK_LAST,
  OUTPUT_HEADER_BYTES,
  writeChunkHeader,
  writeOutputHeader,
} from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ChunkAddress, FetchOutlet } from "./fetches.ts";
import type { Log } from "./log.ts";
import type { Ring } from "./ring.ts";

export interface Outlet {
  /** False while the socket is backed up: send no output until it is drained. */
  readonly ready: boolean;
  /** Sends bytes [from, to) of the ring, at most one frame. They are copied or sent on return. */
  output(handle: number, ring: Ring, from: number, to: number): void;
  gap(handle: number, from: number, to: number): void;
  activity(handle: number, end: number): void;
  query(handle: number, query: Query): void;
  /** Sends the title; returns false if it has to be sent later. */
  title(handle: number, title: string): boolean;
  exited(handle: number, exit: Exit, end: number): void;
}

/** A longer queue has no benefit, and would delay a ^C. */
const BACKED_UP_BYTES = 512 * KiB;

const OUTPUT_PREFIX = FRAME_HEADER_BYTES + OUTPUT_HEADER_BYTES;
const CHUNK_PREFIX = FRAME_HEADER_BYTES + CHUNK_HEADER_BYTES;
const MAX_OUTPUT_FRAME = OUTPUT_PREFIX + FRAME_SOFT_BYTES + PTY_READ_BYTES;

/** Longest error message; a longer one quotes unreasonable input. */
const MAX_ERROR_CHARS = 1000;

export interface ConnectionEvents {
  /** Handles a frame; returns why it is malformed, or undefined. */
  onFrame(frame: Frame): string | undefined;
  onDrained(): void;
  onGone(): void;
}

export class Connection implements Outlet, FetchOutlet {
  readonly #socket: Socket;
  readonly #log: Log;
  readonly #events: ConnectionEvents;
  readonly #decoder = new FrameDecoder();
  /** Buffer for building output frames, one after the other. */
  #scratch: Uint8Array | undefined;
  #open = true;

  constructor(socket: Socket, log: Log, events: ConnectionEvents) {
    this.#socket = socket;
    this.#log = log;
    this.#events = events;
    socket.on("data", (chunk) => this.#data(chunk));
    socket.on("drain", () => events.onDrained());
    socket.on("error", (error) => log("socket-failed", { error: error.message }));
    // A bridge that closed its half is gone: it would not read an answer.
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#closed());
  }

  get open(): boolean {
    return this.#open;
  }

  get ready(): boolean {
    return this.#open && this.#socket.writableLength <= BACKED_UP_BYTES;
  }

  send(type: number, stream: number, value?: object): void {
    if (!this.#open) return;
    this.#socket.write(
      encodeFrame(type, stream, value === undefined ? undefined : toPayload(value)),
    );
  }

  failed(request: number, error: string): void {
    this.send(FrameType.failed, 0, { request, error: error.slice(0, MAX_ERROR_CHARS) });
  }

  output(handle: number, ring: Ring, from: number, to: number): void {
    if (!this.#open) return;
    const length = to - from;
    this.#scratch ??= new Uint8Array(MAX_OUTPUT_FRAME);
    const frame = this.#scratch.subarray(0, OUTPUT_PREFIX + length);
    writeFrameHeader(frame, 0, FrameType.output, 0, handle, OUTPUT_HEADER_BYTES + length);
    writeOutputHeader(frame, FRAME_HEADER_BYTES, from, length);
    ring.copy(from, to, frame, OUTPUT_PREFIX);
    this.#socket.write(frame);
    // An empty queue means that the kernel has copied it; otherwise the socket owns this memory.
    if (this.#socket.writableLength > 0) this.#scratch = undefined;
  }

  /** Sends one frame of an answer; fetches.ts decides when. */
  chunk(answer: ChunkAddress, ring: Ring, from: number, to: number, isLast: boolean): void {
    if (!this.#open) return;
    const { handle, request } = answer;
    const frame = new Uint8Array(CHUNK_PREFIX + to - from);
    const length = CHUNK_HEADER_BYTES + to - from;
    writeFrameHeader(frame, 0, FrameType.chunk, isLast ? CHUNK_LAST : 0, handle, length);
    writeChunkHeader(frame, FRAME_HEADER_BYTES, request, from);
    ring.copy(from, to, frame, CHUNK_PREFIX);
    this.#socket.write(frame);
  }

  gap(handle: number, from: number, to: number): void {
    this.send(FrameType.gap, handle, { from, to });
  }

  /** Reports activity. Skipped if the bridge does not read, or reports would pile up. */
  activity(handle: number, end: number): void {
    if (this.ready) this.send(FrameType.activity, handle, { end });
  }

  query(handle: number, query: Query): void {
    this.send(FrameType.query, handle, query);
  }

  /** Sends a title; returns false if the bridge does not read, to be retried with the latest. */
  title(handle: number, title: string): boolean {
    const { ready } = this;
    if (ready) this.send(FrameType.title, handle, { title });
    return ready;
  }

  /** Sends a checkpoint unchanged. */
  checkpoint(handle: number, payload: Uint8Array): void {
    if (this.#open) this.#socket.write(encodeFrame(FrameType.checkpoint, handle, payload));
  }

  exited(handle: number, exit: Exit, end: number): void {
    this.send(FrameType.exited, handle, { exit, end });
  }

  /** Closes the connection after everything was sent. */
  close(reason: string): void {
    if (!this.#open) return;
    this.#log("connection-closed", { reason });
    this.#open = false;
    this.#socket.destroySoon();
  }

  #data(chunk: Uint8Array): void {
    if (!this.#open) return;
    const decoded = this.#decoder.push(chunk);
    for (const frame of decoded.frames) {
      const fault = this.#handle(frame);
      if (fault !== undefined) this.close(`bad frame of type ${frame.type}: ${fault}`);
      if (!this.#open) return;
    }
    if (!decoded.ok) this.close(`not our frames: ${decoded.error.fault}`);
  }

  /** Handles a frame. A bug here closes the connection, but spares the terminals. */
  #handle(frame: Frame): string | undefined {
    try {
      return this.#events.onFrame(frame);
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  }

  #closed(): void {
    this.#open = false;
    this.#events.onGone();
  }
}
