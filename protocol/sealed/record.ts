// Owns the record: one sealed message between a page and its host. Counters start at 0 and rise by
// exactly 1, so that a relay cannot drop, repeat or reorder a message unnoticed. Pure; performs no
// crypto.
//
//   0                 8
//   | counter (u64)   | ciphertext … | tag (16)

import { readU32, writeU32 } from "../frame.ts";
import { decodeOffset, encodeOffset } from "../output.ts";
import { toBytes } from "../text.ts";
import type { Bytes } from "./bytes.ts";
import { concatBytes } from "./bytes.ts";
import { SealedFault } from "./faults.ts";

export const COUNTER_BYTES = 8;
export const TAG_BYTES = 16;
export const NONCE_BYTES = 12;

/** Bytes that sealing adds to a message. */
export const RECORD_OVERHEAD = COUNTER_BYTES + TAG_BYTES;

/**
 * Records under one key. So many of 64 KiB are 2^36 blocks of AES, which leaves an attacker of GCM
 * a chance of 2^-56; the counter is far from repeating.
 */
export const MAX_RECORDS = 2 ** 24;

/** The direction is part of what is authenticated, besides the key: no record can be reflected. */
export const Direction = { toHost: 1, toPage: 2 } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

/** Kind of a record's content. Sent in the clear and authenticated by the tag. */
export const RecordKind = {
  /** One JSON message. */
  text: 1,
  /** One output frame for this page alone: output from before it attached. */
  output: 2,
} as const;
export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];

const LABEL = toBytes("pairpty m1");

export function formatRecordAad(direction: Direction, kind: RecordKind): Bytes {
  return concatBytes(LABEL, Uint8Array.of(direction, kind));
}

/** Returns the nonce of a counter: `prefix` as u32, then the counter as u64. */
export function toNonce(counter: number, prefix = 0): Bytes {
  const nonce = new Uint8Array(NONCE_BYTES);
  writeU32(nonce, 0, prefix);
  nonce.set(encodeOffset(counter), 4);
  return nonce;
}

/** Returns prefix and counter of a nonce; undefined if the counter is not exact. */
export function parseNonce(
  nonce: Uint8Array,
): { readonly prefix: number; readonly counter: number } | undefined {
  const counter = decodeOffset(nonce.subarray(4, NONCE_BYTES));
  return counter === undefined ? undefined : { prefix: readU32(nonce, 0), counter };
}

export function encodeRecord(counter: number, sealed: Uint8Array): Bytes {
  return concatBytes(encodeOffset(counter), sealed);
}

/** Splits a record; throws if it is too short or its counter is not exact. */
export function decodeRecord(record: Bytes): { readonly counter: number; readonly sealed: Bytes } {
  const counter = decodeOffset(record.subarray(0, COUNTER_BYTES));
  if (counter === undefined || record.length < RECORD_OVERHEAD)
    throw new SealedFault("malformed", "The record is malformed");
  return { counter, sealed: record.subarray(COUNTER_BYTES) };
}

/** Counts the records of one direction. */
export class RecordCounter {
  #next = 0;

  /** Returns the counter of the next record to seal. */
  take(): number {
    if (this.#next >= MAX_RECORDS)
      throw new SealedFault("exhausted", "The session's key has sealed its last record");
    return this.#next++;
  }

  /** Accepts the counter of a received record; throws unless it is the next one. */
  accept(counter: number): void {
    if (counter !== this.#next || counter >= MAX_RECORDS)
      throw new SealedFault("out_of_order", `Record ${counter} came instead of ${this.#next}`);
    this.#next++;
  }
}
