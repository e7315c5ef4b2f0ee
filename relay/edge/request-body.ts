// Owns reading a request's body from its connection. Short bodies are always read completely, even
// for requests that are refused: workerd silently closes a connection with an unread body, also
// when the client is about to reuse it. Longer bodies stay streams.

import { KiB } from "../../protocol/limits.ts";

/** Covers the usual messages of agents and pages; longer bodies are streamed. */
const MAX_BUFFERED_BODY = 64 * KiB;
/** The time that workerd allows for a request's head; it has no limit of its own for bodies. */
const MAX_BODY_WAIT_MS = 15_000;

export const BODY_TIMEOUT_MESSAGE = `The body did not arrive within ${MAX_BODY_WAIT_MS / 1000} s.`;

/**
 * Returns a short body whole and a long one as a stream. "late": a short body did not arrive in
 * time; workerd closes the connection after the answer.
 */
export async function readBody(
  request: Request,
): Promise<ArrayBuffer | ReadableStream | "late" | null> {
  const length = Number(request.headers.get("content-length") ?? Infinity);
  if (request.body === null || length > MAX_BUFFERED_BODY) return request.body;
  let timer: number | null = null;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), MAX_BODY_WAIT_MS);
  });
  try {
    return await Promise.race([request.arrayBuffer(), late]);
  } finally {
    clearTimeout(timer);
  }
}
