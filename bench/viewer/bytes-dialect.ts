// Owns the bare chain's rendition of bytes: a header of 12 with the terminal's number and the offset,
// as small as the product's own, and the bytes behind it. The rest is JSON.

import type { Dialect, Message } from "./dialect.ts";
import { jsonDialect } from "./json-dialect.ts";

const HEADER_BYTES = 12;

export function encodeBytes(terminal: number, offset: number, bytes: Uint8Array): Message {
  const message = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  message.writeUInt32BE(terminal, 0);
  message.writeDoubleBE(offset, 4);
  message.set(bytes, HEADER_BYTES);
  return message;
}

export function bareId(terminal: number): string {
  return `bare-${terminal}`;
}

export function bytesDialect(): Dialect {
  const json = jsonDialect();
  return {
    ...json,
    ack: () => [],
    hear: (data, binary) => {
      if (!binary) return json.hear(data, binary);
      const offset = data.readDoubleBE(4);
      const bytes = data.subarray(HEADER_BYTES);
      const id = bareId(data.readUInt32BE(0));
      return { is: "output", id, data: bytes, offset, next: offset + bytes.length };
    },
    body: (data, binary) => (binary ? data.subarray(HEADER_BYTES) : json.body(data, binary)),
  };
}
