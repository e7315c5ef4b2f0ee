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
    return new Response(body === undefined ? null : contentOf(body), {
      status: head.status,
      headers,
    });
  } catch {
    return undefined;
  }
}

/** An answer that is whole already needs no stream, which would cost it more than all the rest. */
function contentOf(body: BodyReceiver): ReadableStream<Uint8Array> | Uint8Array {
  return body.whole() ?? new ReadableStream<Uint8Array>(body.source, { highWaterMark: 0 });
}
