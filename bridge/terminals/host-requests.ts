// Owns what the bridge has asked the pty host and not heard of yet: spawns, fetches and nudges.
// Answers are handed on the moment their frame is read, so that nothing comes in between.

import type { Frame } from "../../protocol/frame.ts";
import type { Failed, ScreenState } from "../../protocol/host.ts";
import { CHUNK_LAST, decodeChunk } from "../../protocol/output.ts";
import type { Checkpoint } from "../../protocol/screen.ts";
import { decodeCheckpoint } from "../../protocol/screen.ts";
import type { HostTerminal, Retained } from "./host-client.ts";

const ANSWER_TIMEOUT_MS = 10_000;

interface Pending<T> {
  readonly accept: (value: T) => void;
  readonly reject: (error: Error) => void;
}

interface PendingFetch extends Pending<Retained> {
  offset: number | undefined;
  readonly pieces: Uint8Array[];
}

/** What the host says about a terminal's screen. */
export interface HostScreen extends ScreenState {
  readonly checkpoint?: Checkpoint | undefined;
}

export class HostRequests {
  readonly #screens = new Map<number, Pending<HostScreen>>();
  /** Comes in the frame before its answer. */
  #checkpoint: Checkpoint | undefined;
  readonly #spawns = new Map<number, Pending<HostTerminal>>();
  readonly #fetches = new Map<number, PendingFetch>();
  readonly #nudges: Pending<void>[] = [];
  #last = 0;

  spawn<T>(accept: (terminal: HostTerminal) => T, send: (request: number) => void): Promise<T> {
    const request = ++this.#last;
    const answer = new Promise<T>((resolve, reject) => {
      this.#spawns.set(request, { accept: (terminal) => resolve(accept(terminal)), reject });
      send(request);
    });
    return inTime(answer).finally(() => this.#spawns.delete(request));
  }

  fetch<T>(accept: (retained: Retained) => T, send: (request: number) => void): Promise<T> {
    const request = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      const handOn = (retained: Retained) => resolve(accept(retained));
      this.#fetches.set(request, { accept: handOn, reject, offset: undefined, pieces: [] });
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
    return inTime(answer);
  }

  spawned(request: number, terminal: HostTerminal): void {
    this.#spawns.get(request)?.accept(terminal);
  }

  checkpoint(payload: Uint8Array): void {
    this.#checkpoint = decodeCheckpoint(payload);
  }

  screenState(state: ScreenState): void {
    const checkpoint = this.#checkpoint;
    this.#checkpoint = undefined;
    this.#screens.get(state.request)?.accept({ ...state, checkpoint });
    this.#screens.delete(state.request);
  }

  alive(): void {
    this.#nudges.shift()?.accept();
  }

  chunk(frame: Frame): void {
    const chunk = decodeChunk(frame.payload);
    const pending = chunk === undefined ? undefined : this.#fetches.get(chunk.request);
    if (chunk === undefined || pending === undefined) return;
    pending.offset ??= chunk.offset;
    pending.pieces.push(chunk.body);
    if ((frame.flags & CHUNK_LAST) === 0) return;
    this.#fetches.delete(chunk.request);
    pending.accept({ offset: pending.offset, bytes: Buffer.concat(pending.pieces) });
  }

  failed({ request, error }: Failed): void {
    this.#spawns.get(request)?.reject(new Error(error));
    this.#fetches.get(request)?.reject(new Error(error));
    this.#fetches.delete(request);
    this.#screens.get(request)?.reject(new Error(error));
    this.#screens.delete(request);
  }

  failAll(error: Error): void {
    for (const { reject } of this.#spawns.values()) reject(error);
    for (const { reject } of this.#fetches.values()) reject(error);
    for (const { reject } of this.#nudges.splice(0)) reject(error);
    this.#fetches.clear();
    for (const { reject } of this.#screens.values()) reject(error);
    this.#screens.clear();
  }
}

export function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    const error = new Error("the pty host did not answer");
    timer = setTimeout(() => reject(error), ANSWER_TIMEOUT_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
