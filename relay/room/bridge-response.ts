// Owns turning a bridge's answer into a Response for the client, and checking that its head can be
// passed on. Pure except for the Response's stream.

import type { BodyReceiver } from "../../protocol/http-body.ts";
import { StreamHead } from "../../protocol/http.ts";
import type { ParseResult } from "../../protocol/json.ts";
import { parsePayload } from "../../protocol/json.ts";
import { filterForClient } from "../edge/headers.ts";

const BODILESS_STATUSES = new Set([204, 205, 304]);

export function parseHead(payload: Uint8Array): ParseResult<StreamHead> {
  const head = parsePayload(StreamHead, payload);
  if (!head.ok) return { ok: false, error: "The bridge's answer has no proper head." };
  // The relay requested no encoding, and the hops after this one would disagree about it.
  const encoded = head.value.headers.some(([name]) => name.toLowerCase() === "content-encoding");
  return encoded ? { ok: false, error: "The bridge's answer is encoded." } : head;
}

/** Whether an answer may have a body: HTTP decides that by method and status. */
export function hasBody(method: string, status: number): boolean {
  return method !== "HEAD" && !BODILESS_STATUSES.has(status);
}

/** Builds the client's Response; undefined when its head is not valid HTTP. */
export function toResponse(head: StreamHead, body: BodyReceiver | undefined): Response | undefined {
  try {
    const headers = new Headers(filterForClient(head.headers));
    const content = body === undefined ? null : toContent(body, parseContentLength(head));
    return new Response(content, { status: head.status, headers });
  } catch {
    return undefined;
  }
}

/**
 * Returns the answer's content. A complete answer avoids the stream, which would cost more than
 * everything else.
 */
function toContent(body: BodyReceiver, length: number | undefined): ReadableStream | Uint8Array {
  const whole = body.takeWhole();
  if (whole !== undefined) return whole;
  const stream = new ReadableStream<Uint8Array>(body.source, { highWaterMark: 0 });
  if (length === undefined) return stream;
  // workerd ends a failed answer as if it were complete (cloudflare/workerd#6818), unless its
  // length is known: then the client notices that bytes are missing.
  const { readable, writable } = new FixedLengthStream(length);
  stream.pipeTo(writable).catch(() => undefined);
  return readable;
}

function parseContentLength({ headers }: StreamHead): number | undefined {
  const declared = headers.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? "";
  return /^\d{1,15}$/.test(declared) ? Number(declared) : undefined;
}
