// Owns one sealed request on the bridge's side: from the bytes that a relay passes on to a Request
// of the person whose session sealed it, and from its Response to sealed records. A request over
// `/sealed` is served once it is complete; an upload streams, and fails where its records do not
// open.

import type { Bytes } from "../../../protocol/sealed/bytes.ts";
import { concatBytes, NO_BYTES } from "../../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../../protocol/sealed/faults.ts";
import {
  decodeHttpPreface,
  HTTP_PREFACE_BYTES,
  HTTP_RECORD_BYTES,
  SEALED_UPLOAD_PATH,
} from "../../../protocol/sealed/http-records.ts";
import type { StreamHead } from "../../../protocol/http.ts";
import { SealedRequestHead } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import { DEVICE_HEADER } from "../../../protocol/names.ts";
import type { Caller, CallerStatus, CloseReason, Door } from "../../callers/caller.ts";
import { applyLimit } from "../../callers/permissions.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { HttpBodyOpener, HttpBodySealer } from "../../sealed/http-bodies.ts";
import type { OpenSession, SealedSessions } from "../../sealed/sealed-sessions.ts";

export interface SealedExchange extends OpenSession {
  readonly head: SealedRequestHead;
  readonly body: Bytes | ReadableStream | undefined;
  readonly sealer: HttpBodySealer;
}

export interface SealedBody {
  readonly path: string;
  /** The grant by which the relay admitted the request. */
  readonly grant: string;
  readonly stream: ReadableStream<Uint8Array>;
}

/** Opens a request; throws a `SealedFault` unless an open session of this grant sealed it. */
export async function openSealedRequest(
  sessions: SealedSessions,
  { path, grant, stream }: SealedBody,
): Promise<SealedExchange> {
  const reader = stream.getReader();
  let bytes = NO_BYTES;
  while (bytes.length < HTTP_PREFACE_BYTES) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    const { done, value } = await reader.read();
    if (done) throw new SealedFault("cut_short", "The request ended before its records");
    bytes = concatBytes(bytes, value);
  }
  const preface = decodeHttpPreface(bytes.subarray(0, HTTP_PREFACE_BYTES));
  const open = preface && sessions.find(preface.session);
  if (open === undefined || open.caller.grantId !== grant)
    throw new SealedFault("not_authentic", "No open session of this link has this id");
  const { body: opener, response: sealer } = open.session.acceptRequest(preface?.request ?? 0);
  const records = new RecordReader(reader, opener, bytes.subarray(HTTP_PREFACE_BYTES));
  const parsed = parsePayload(SealedRequestHead, (await records.next()) ?? NO_BYTES);
  if (!parsed.ok) throw new SealedFault("malformed", `The head is invalid: ${parsed.error}`);
  const isUpload = path === SEALED_UPLOAD_PATH;
  const whole = isUpload ? undefined : await records.readAll();
  const head = { ...parsed.value, headers: setDevice(parsed.value.headers, open) };
  const { method } = head;
  const hasBody = method !== "GET" && method !== "HEAD";
  return { ...open, head, sealer, body: hasBody ? (whole ?? records.toStream()) : undefined };
}

/** Replaces the device that a request claims by the one of the session's handshake. */
function setDevice(
  headers: SealedRequestHead["headers"],
  { caller }: OpenSession,
): SealedRequestHead["headers"] {
  const { device } = caller.hello ?? {};
  const others = headers.filter(([name]) => name.toLowerCase() !== DEVICE_HEADER);
  return device === undefined ? others : [...others, [DEVICE_HEADER, device]];
}

class RecordReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #opener: HttpBodyOpener;
  readonly #opened: Bytes[];

  constructor(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    opener: HttpBodyOpener,
    first: Uint8Array,
  ) {
    this.#reader = reader;
    this.#opener = opener;
    this.#opened = opener.push(first);
  }

  /** Resolves to the next record's content; undefined after the last one, at the body's end. */
  async next(): Promise<Bytes | undefined> {
    while (this.#opened.length === 0) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { done, value } = await this.#reader.read();
      if (done) {
        this.#opener.end();
        return undefined;
      }
      this.#opened.push(...this.#opener.push(value));
    }
    return this.#opened.shift();
  }

  async readAll(): Promise<Bytes> {
    const parts: Bytes[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one record after the other
    for (let part = await this.next(); part !== undefined; part = await this.next())
      parts.push(part);
    return concatBytes(...parts);
  }

  toStream(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        pull: async (controller) => {
          const part = await this.next();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        },
        cancel: async (reason) => await this.#reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }
}

/** Seals a response: status and headers in the first record, outside the status is always 200. */
export function sealResponse(
  sealer: HttpBodySealer,
  { status, headers, body }: Response,
  { method }: SealedRequestHead,
): Response {
  const head: StreamHead = { status, headers: [...headers] };
  const reader: ReadableStreamDefaultReader<unknown> | undefined =
    method === "HEAD" ? undefined : body?.getReader();
  if (method === "HEAD") void body?.cancel();
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        controller.enqueue(sealer.seal(toPayload(head), reader === undefined));
        if (reader === undefined) controller.close();
      },
      pull: async (controller) => {
        const piece = await reader?.read();
        if (piece?.value instanceof Uint8Array) {
          for (let at = 0; at < piece.value.length; at += HTTP_RECORD_BYTES) {
            const part = piece.value.slice(at, at + HTTP_RECORD_BYTES);
            controller.enqueue(sealer.seal(new Uint8Array(part), false));
          }
        }
        if (piece?.done !== true) return;
        controller.enqueue(sealer.seal(NO_BYTES, true));
        controller.close();
      },
      cancel: async (reason) => await reader?.cancel(reason),
    },
    { highWaterMark: 1 },
  );
  return new Response(stream, {
    headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
  });
}

const SEALED_HTTP_DOOR: Door = { name: "http", proof: "session", sendAll: () => {} };

/** The caller behind a sealed request: the person of its session, for as long as both last. */
export class SealedHttpCaller implements Caller {
  readonly door = SEALED_HTTP_DOOR;
  readonly since = Date.now();
  readonly #open: OpenSession;
  readonly #end: (reason: CloseReason) => void;
  #limit: CallerStatus["limit"];

  constructor(open: OpenSession, end: (reason: CloseReason) => void) {
    this.#open = open;
    this.#end = end;
  }

  get grantId(): string {
    return this.#open.caller.grantId;
  }

  /** The person's status; a limit of their browser counts for this request alone. */
  get status(): CallerStatus {
    const { status } = this.#open.caller;
    return { name: status?.name, limit: status?.limit ?? this.#limit };
  }
  set status(status: CallerStatus | undefined) {
    this.#limit = status?.limit;
  }

  grant(): Grant | undefined {
    const { caller, ended } = this.#open;
    const grant = ended.aborted ? undefined : caller.grant();
    return grant === undefined ? undefined : applyLimit(grant, this.status);
  }

  send(): void {
    // An HTTP caller gets only its answer.
  }

  close(reason: CloseReason): void {
    this.#end(reason);
  }
}
