// Owns how much a refused socket may still send: the messages that were under way when it was
// closed, and no more. Pure.

import { MAX_HELLO_BYTES } from "../protocol/limits.ts";

/** A client may send its hello, pings and typed input before it reads the close frame. */
const MAX_MESSAGES_AFTER_CLOSE = 16;

export class PostCloseAllowance {
  #messages = 0;

  /** Returns false when the socket must be cut off. */
  allows(bytes: number): boolean {
    return bytes <= MAX_HELLO_BYTES && ++this.#messages <= MAX_MESSAGES_AFTER_CLOSE;
  }
}

/** Returns a message's size; text counts in UTF-16 units, which is close enough. */
export function getMessageSize(message: string | ArrayBuffer): number {
  return typeof message === "string" ? message.length : message.byteLength;
}
