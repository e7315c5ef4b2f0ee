// Owns the sending side of the accepted link. Frames that belong together leave in one message.
// Does not read frames or decide when a link ends.

import { encodeFrame } from "../../protocol/frame.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Hello } from "../../protocol/link.ts";
import type { Socket } from "./attachment.ts";
import { trySend } from "./sockets.ts";

/** Messages may be larger, but keystrokes wait behind each. */
const SOFT_MESSAGE_BYTES = 128 << 10;

export class Link {
  readonly socket: Socket;
  readonly instance: string;
  readonly epoch: number;
  #held: Uint8Array[] | undefined;

  constructor(socket: Socket, identity: Pick<Hello, "instance" | "epoch">) {
    this.socket = socket;
    this.instance = identity.instance;
    this.epoch = identity.epoch;
  }

  /** Sends a frame. On a link that has ended it does nothing: the close event will handle that. */
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void {
    const frame = encodeFrame(type, stream, payload, flags);
    if (this.#held !== undefined) this.#held.push(frame);
    else trySend(this.socket, frame);
  }

  sendJson(type: number, stream: number, value: object): void {
    this.send(type, stream, toPayload(value));
  }

  /** Sends all frames of `work` in one message after it. */
  together(work: () => void): void {
    if (this.#held !== undefined) return work();
    this.#held = [];
    try {
      work();
    } finally {
      const frames = this.#held;
      this.#held = undefined;
      for (const message of join(frames)) trySend(this.socket, message);
    }
    return undefined;
  }
}

function join(frames: readonly Uint8Array[]): Uint8Array[] {
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

function concat(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
