// Owns what becomes of a bridge's answer on its way to the client: whether its head can be passed
// on, and the Response made of it. Pure but for the stream that the Response holds.

import type { BodyReceiver } from "../../protocol/body-receiver.ts";
import { StreamHead } from "../../protocol/http.ts";
import type { Parsed } from "../../protocol/json.ts";
import { parsePayload } from "../../protocol/json.ts";
import { forClient } from "../edge/headers.ts";

const BODILESS = new Set([204, 205, 304]);

export function readHead(payload: Uint8Array): Parsed<StreamHead> {
  const head = parsePayload(StreamHead, payload);
  if (!head.ok) return { ok: false, error: "The bridge's answer has no proper head." };
  // Nobody asked for one, and the two legs after this would disagree about it.
  const encoded = head.value.headers.some(([name]) => name.toLowerCase() === "content-encoding");
  return encoded ? { ok: false, error: "The bridge's answer is encoded." } : head;
}

/** Whether an answer may have a body at all: in HTTP the method and the status decide. */
export function hasBody(method: string, status: number): boolean {
  return method !== "HEAD" && !BODILESS.has(status);
}

/** Undefined when the head cannot be sent as it is. */
export function toResponse(head: StreamHead, body: BodyReceiver | undefined): Response | undefined {
  try {
    const headers = new Headers(forClient(head.headers));
    const content = body === undefined ? null : contentOf(body, lengthOf(head));
    return new Response(content, { status: head.status, headers });
  } catch {
    return undefined;
  }
}

/** An answer that is whole already needs no stream, which would cost it more than all the rest. */
function contentOf(body: BodyReceiver, length: number | undefined): ReadableStream | Uint8Array {
  const whole = body.whole();
  if (whole !== undefined) return whole;
  const stream = new ReadableStream<Uint8Array>(body.source, { highWaterMark: 0 });
  if (length === undefined) return stream;
  // workerd ends an answer that failed as if it were whole (cloudflare/workerd#6818), unless its
  // length was told: then the client sees that something is missing.
  const { readable, writable } = new FixedLengthStream(length);
  stream.pipeTo(writable).catch(() => undefined);
  return readable;
}

function lengthOf({ headers }: StreamHead): number | undefined {
  const told = headers.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? "";
  return /^\d{1,15}$/.test(told) ? Number(told) : undefined;
}
