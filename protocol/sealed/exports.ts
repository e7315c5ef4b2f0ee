// Owns what both sides derive from a handshake's exporter: the digits that two people compare, the
// session's id for HTTP, and the keys of sealed requests. Pure; see crypto-steps.ts.

import { encodeOffset } from "../output.ts";
import { toBytes } from "../text.ts";
import type { Bytes } from "./bytes.ts";
import { concatBytes, NO_BYTES } from "./bytes.ts";
import type { CryptoStep, Steps } from "./crypto-steps.ts";
import type { Direction } from "./record.ts";

const KEY_BYTES = 32;
export const SESSION_ID_BYTES = 16;
const DIGITS = 6;
/** Far more than six digits need, so that every code is equally likely. */
const DIGITS_BYTES = 16;

/** Returns six digits that host and visitor compare while the visitor knocks. */
export function* deriveDigits(exporter: Bytes): Steps<never, string> {
  const bytes = yield derive(exporter, toBytes("digits"), DIGITS_BYTES);
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  return String(value % 10n ** BigInt(DIGITS)).padStart(DIGITS, "0");
}

/** Returns the id by which sealed requests name their session, in the clear. */
export function* deriveSessionId(exporter: Bytes): Steps<never, Bytes> {
  return yield derive(exporter, toBytes("session"), SESSION_ID_BYTES);
}

/** Returns the key of one body: that of a request, or that of its response. */
export function* deriveHttpKey(
  exporter: Bytes,
  request: number,
  direction: Direction,
): Steps<never, Bytes> {
  const info = concatBytes(toBytes("http"), encodeOffset(request), Uint8Array.of(direction));
  return yield derive(exporter, info, KEY_BYTES);
}

function derive(exporter: Bytes, info: Bytes, length: number): CryptoStep<never> {
  return { op: "hkdf", salt: NO_BYTES, ikm: exporter, info, length };
}
