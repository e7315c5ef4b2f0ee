// Owns the conversion between bytes and text for all three runtimes. They share TextEncoder and
// TextDecoder, but no type library that declares them. Also owns the positions at which a UTF-8
// byte stream may be cut. Pure; never decodes.

import { HISTORY_NEWLINE_REACH } from "./limits.ts";

declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };
declare const TextDecoder: new (
  label: "utf-8",
  options?: { ignoreBOM?: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// Keeps a byte order mark: it is part of the stream, and a terminal must get it back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const NEWLINE = 0x0a;

/** Returns how many bytes at the end (0 to 3) begin a character that is not complete yet. */
export function countUnfinishedTail(bytes: Uint8Array): number {
  const reach = Math.min(3, bytes.length);
  for (let back = 1; back <= reach; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Returns the first index at or after `from` where a character begins, or the end. */
export function findCharacterStart(bytes: Uint8Array, from: number): number {
  const limit = Math.min(from + 3, bytes.length);
  let at = from;
  while (at < limit && isContinuation(bytes[at] ?? 0)) at++;
  return at;
}

/** Returns where the last `most` bytes start: after a near newline, else at a character. */
export function findTailStart(bytes: Uint8Array, most: number): number {
  if (bytes.length <= most) return 0;
  const from = bytes.length - most;
  const newline = bytes.subarray(from, from + HISTORY_NEWLINE_REACH).indexOf(NEWLINE);
  return newline >= 0 ? from + newline + 1 : findCharacterStart(bytes, from);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Returns the length that a lead byte announces; 1 for any byte that cannot lead. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}
