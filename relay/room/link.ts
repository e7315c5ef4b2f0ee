// Owns the sending side of the accepted link. Frames that belong together leave in one message.
// Does not read frames or decide when a link ends.

import { encodeFrame } from "../../protocol/frame.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Hello } from "../../protocol/link.ts";
import type { Socket } from "./socket-state.ts";
import { trySend } from "./sockets.ts";

/** Messages may be larger, but keystrokes wait behind each. */
const SOFT_MESSAGE_BYTES = 128 << 10;

export class Link {
  readonly socket: Socket;
  readonly instance: string;
  readonly epoch: number;
  #batch: Uint8Array[] | undefined;

  constructor(socket: Socket, identity: Pick<Hello, "instance" | "epoch">) {
    this.socket = socket;
    this.instance = identity.instance;
    this.epoch = identity.epoch;
  }

  /** Sends a frame. On a link that has ended it does nothing: the close event will handle that. */
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void {
    const frame = encodeFrame(type, stream, payload, flags);
    if (this.#batch !== undefined) this.#batch.push(frame);
    else trySend(this.socket, frame);
  }

  sendJson(type: number, stream: number, value: object): void {
    this.send(type, stream, toPayload(value));
  }

  /** Sends all frames of `work` in one message after it. */
  batch(work: () => void): void {
    if (this.#batch !== undefined) return work();
    this.#batch = [];
    try {
      work();
    } finally {
      const frames = this.#batch;
      this.#batch = undefined;
      for (const message of joinFrames(frames)) trySend(this.socket, message);
    }
    return undefined;
  }
}

function joinFrames(frames: readonly Uint8Array[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let first = 0; first < frames.length;) {
    let size = 0;
    let end = first;
    for (; end < frames.length; end++) {
      const next = frames[end]?.length ?? 0;
      if (end > first && size + next > SOFT_MESSAGE_BYTES) break;
      size += next;
    }
    messages.push(concat(frames.slice(first, end), size));
    first = end;
  }
  return messages;
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of chunks) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
