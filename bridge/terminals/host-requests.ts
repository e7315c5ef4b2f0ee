// Owns the bridge's pending requests to the pty host: spawns, fetches and nudges. Answers are
// handled the moment their frame is read, so no other frame comes in between.

import type { Frame } from "../../protocol/frame.ts";
import type { Failed, ScreenState, Checkpoint } from "../../protocol/host.ts";
import { decodeCheckpoint } from "../../protocol/host.ts";
import { CHUNK_LAST, decodeChunk } from "../../protocol/output.ts";
import type { RetainedBytes } from "./host-client.ts";
import type { HostTerminal } from "./host-reports.ts";
import { Unavailable } from "./unavailable.ts";

const ANSWER_TIMEOUT_MS = 10_000;

interface Pending<T> {
  readonly accept: (value: T) => void;
  readonly reject: (error: Error) => void;
}

interface PendingFetch extends Pending<RetainedBytes> {
  /** Maximum number of bytes wanted, counted from the end. */
  readonly most: number;
  offset: number;
  /** Contiguous, from `offset` on. */
  pieces: Uint8Array[];
  /** Offset of the next contiguous piece. */
  next: number;
}

/** The host's state for rebuilding a screen. */
export interface HostScreen extends ScreenState {
  readonly checkpoint?: Checkpoint | undefined;
}

export class HostRequests {
  readonly #screens = new Map<number, Pending<HostScreen>>();
  /** Arrives in the frame before its answer. */
  #checkpoint: Checkpoint | undefined;
  readonly #spawns = new Map<number, Pending<HostTerminal>>();
  readonly #fetches = new Map<number, PendingFetch>();
  readonly #nudges: Pending<void>[] = [];
  readonly #timeoutMs: number;
  #last = 0;

  constructor(timeoutMs = ANSWER_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** Starts a terminal. Calls `late` with one that arrives after the timeout was reported. */
  spawn<T>(
    accept: (terminal: HostTerminal) => T,
    late: (terminal: HostTerminal) => void,
    send: (request: number) => void,
  ): Promise<T> {
    const request = ++this.#last;
    let isWanted = true;
    const answer = new Promise<T>((resolve, reject) => {
      const handOn = settleWith(accept, resolve, reject);
      const acceptOrLate = (terminal: HostTerminal) =>
        isWanted ? handOn(terminal) : late(terminal);
      this.#spawns.set(request, { accept: acceptOrLate, reject });
      send(request);
    });
    return withTimeout(answer, this.#timeoutMs).finally(() => {
      isWanted = false;
    });
  }

  fetch<T>(
    most: number,
    accept: (retained: RetainedBytes) => T,
    send: (request: number) => void,
  ): Promise<T> {
    const request = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      const handOn = settleWith(accept, resolve, reject);
      const nothing = { offset: 0, pieces: [], next: -1 };
      this.#fetches.set(request, { accept: handOn, reject, most, ...nothing });
      send(request);
    });
  }

  screen(send: (request: number) => void): Promise<HostScreen> {
    const request = ++this.#last;
    return new Promise<HostScreen>((accept, reject) => {
      this.#screens.set(request, { accept, reject });
      send(request);
    });
  }

  nudge(send: () => void): Promise<void> {
    const answer = new Promise<void>((accept, reject) => {
      this.#nudges.push({ accept, reject });
      send();
    });
    return withTimeout(answer, this.#timeoutMs);
  }

  onSpawned(request: number, terminal: HostTerminal): void {
    const pending = this.#spawns.get(request);
    this.#spawns.delete(request);
    pending?.accept(terminal);
  }

  onCheckpoint(payload: Uint8Array): void {
    this.#checkpoint = decodeCheckpoint(payload);
  }

  screenState(state: ScreenState): void {
    const checkpoint = this.#checkpoint;
    this.#checkpoint = undefined;
    this.#screens.get(state.request)?.accept({ ...state, checkpoint });
    this.#screens.delete(state.request);
  }

  onAlive(): void {
    this.#nudges.shift()?.accept();
  }

  onChunk(frame: Frame): void {
    const chunk = decodeChunk(frame.payload);
    const pending = chunk === undefined ? undefined : this.#fetches.get(chunk.request);
    if (chunk === undefined || pending === undefined) return;
    // The first chunk, or bytes before it have left the host's buffer meanwhile: only the rest is
    // contiguous.
    if (chunk.offset !== pending.next) {
      pending.offset = chunk.offset;
      pending.pieces = [];
    }
    pending.pieces.push(chunk.body);
    pending.next = chunk.offset + chunk.body.length;
    if ((frame.flags & CHUNK_LAST) === 0) return;
    this.#fetches.delete(chunk.request);
    pending.accept(toRetained(pending));
  }

  onFailed({ request, error }: Failed): void {
    for (const requests of [this.#spawns, this.#fetches, this.#screens]) {
      requests.get(request)?.reject(new Unavailable(error));
      requests.delete(request);
    }
  }

  failAll(why: string): void {
    const error = new Unavailable(why);
    for (const requests of [this.#spawns, this.#fetches, this.#screens]) {
      for (const { reject } of requests.values()) reject(error);
      requests.clear();
    }
    for (const { reject } of this.#nudges.splice(0)) reject(error);
  }
}

/** Drops excess bytes: the stream may have grown since the host began to answer. */
function toRetained({ offset, pieces, most }: PendingFetch): RetainedBytes {
  const bytes = Buffer.concat(pieces);
  const extra = Math.max(0, bytes.length - most);
  return { offset: offset + extra, bytes: bytes.subarray(extra) };
}

/** Passes exceptions of `accept` to the requester, so that the frame reader continues. */
function settleWith<V, T>(
  accept: (value: V) => T,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): (value: V) => void {
  return (value) => {
    try {
      resolve(accept(value));
    } catch (error) {
      reject(error);
    }
  };
}

export function withTimeout<T>(answer: Promise<T>, milliseconds = ANSWER_TIMEOUT_MS): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    const error = new Unavailable("the pty host did not answer");
    timer = setTimeout(() => reject(error), milliseconds);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
