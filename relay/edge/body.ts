// Owns taking a request's body off its connection: a short one whole, whatever comes of the request,
// because workerd closes a connection whose body was not read, without a word, under a client that is
// about to use it again. A longer one stays a stream.

import { KiB } from "../../protocol/limits.ts";

/** Covers what agents and pages send; longer ones are streamed. */
const SHORT_BODY = 64 * KiB;
/** As long as workerd waits for a request's head; it has no limit for bodies. */
const MAX_BODY_WAIT_MS = 15_000;

export const LATE_BODY_SENTENCE = `The body did not arrive within ${MAX_BODY_WAIT_MS / 1000} s.`;

/** "late": a short body did not come; workerd closes the connection after the answer. */
export async function takeBody(
  request: Request,
): Promise<ArrayBuffer | ReadableStream | "late" | null> {
  const length = Number(request.headers.get("content-length") ?? Infinity);
  if (request.body === null || length > SHORT_BODY) return request.body;
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
