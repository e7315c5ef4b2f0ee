// Owns the form of a sealed HTTP body: who sealed it, then records of at most 64 KiB. The first one
// holds the head as JSON. Only the last one has the mark, so that a cut body is noticed. Pure;
// performs no crypto.
//
//   0             16                    24
//   | session id  | request number u64  | record | record | …      (a response has records only)
//
//   0                               4
//   | length, top bit: last (u32)   | ciphertext … | tag (16)

import { readU32, writeU32 } from "../frame.ts";
import { KiB } from "../limits.ts";
import { decodeOffset, encodeOffset, OFFSET_BYTES } from "../output.ts";
import { toBytes } from "../text.ts";
import type { Bytes } from "./bytes.ts";
import { concatBytes, NO_BYTES } from "./bytes.ts";
import { SESSION_ID_BYTES } from "./exports.ts";
import { SealedFault } from "./faults.ts";
import { MAX_RECORDS, TAG_BYTES } from "./record.ts";

/** Large enough that tags and lengths cost little, small enough to stream. */
export const HTTP_RECORD_BYTES = 64 * KiB;

/** All that the relay sees of a sealed request: relays let only `/files` have a large body. */
export const SEALED_UPLOAD_PATH = "/files?s";
export const SEALED_PATH = "/sealed";

/** Statuses of answers without a body, which a Response must not have either. */
export const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

const LENGTH_BYTES = 4;
const LAST = 0x8000_0000;
const LABEL = toBytes("pairpty h1");

export const HTTP_PREFACE_BYTES = SESSION_ID_BYTES + OFFSET_BYTES;

/** Whether a request's body is sealed records. */
export function isSealedRequest({ method, path }: { method: string; path: string }): boolean {
  return method === "POST" && (path === SEALED_PATH || path === SEALED_UPLOAD_PATH);
}

export interface HttpPreface {
  readonly session: Bytes;
  /** Each session uses each number once. */
  readonly request: number;
}

export function encodeHttpPreface({ session, request }: HttpPreface): Bytes {
  return concatBytes(session, encodeOffset(request));
}

/** Undefined if the body is too short for it. */
export function decodeHttpPreface(body: Bytes): HttpPreface | undefined {
  const request = decodeOffset(body.subarray(SESSION_ID_BYTES, HTTP_PREFACE_BYTES));
  return request === undefined ? undefined : { session: body.slice(0, SESSION_ID_BYTES), request };
}

export function formatHttpAad(isLast: boolean): Bytes {
  return concatBytes(LABEL, Uint8Array.of(isLast ? 1 : 0));
}

export function encodeHttpRecord(sealed: Uint8Array, isLast: boolean): Bytes {
  const record = new Uint8Array(LENGTH_BYTES + sealed.length);
  writeU32(record, 0, (sealed.length | (isLast ? LAST : 0)) >>> 0);
  record.set(sealed, LENGTH_BYTES);
  return record;
}

export interface HttpRecord {
  readonly counter: number;
  readonly isLast: boolean;
  readonly sealed: Bytes;
}

/** Cuts a stream of bytes into records. */
export class HttpRecordParser {
  #rest: Bytes = NO_BYTES;
  /** Where the next record begins in `#rest`, which is cut once for each push. */
  #at = 0;
  #counter = 0;
  #isComplete = false;

  /** Returns the records that are complete; throws if the bytes cannot be records. */
  push(bytes: Uint8Array): HttpRecord[] {
    this.#rest = concatBytes(this.#rest, bytes);
    const records: HttpRecord[] = [];
    for (let one = this.#take(); one !== undefined; one = this.#take()) records.push(one);
    this.#rest = this.#rest.slice(this.#at);
    this.#at = 0;
    if (this.#isComplete && this.#rest.length > 0)
      throw new SealedFault("malformed", "Bytes follow the last record");
    return records;
  }

  /** Throws unless the last record has come. */
  end(): void {
    if (!this.#isComplete)
      throw new SealedFault("cut_short", "The body ended before its last record");
  }

  #take(): HttpRecord | undefined {
    const start = this.#at + LENGTH_BYTES;
    if (this.#isComplete || this.#rest.length < start) return undefined;
    const mark = readU32(this.#rest, this.#at);
    const isLast = mark >= LAST;
    const length = isLast ? mark - LAST : mark;
    if (
      length < TAG_BYTES ||
      length > HTTP_RECORD_BYTES + TAG_BYTES ||
      this.#counter >= MAX_RECORDS
    )
      throw new SealedFault("malformed", "A record of the body is malformed");
    if (this.#rest.length < start + length) return undefined;
    const sealed = this.#rest.slice(start, start + length);
    this.#at = start + length;
    this.#isComplete = isLast;
    return { counter: this.#counter++, isLast, sealed };
  }
}
