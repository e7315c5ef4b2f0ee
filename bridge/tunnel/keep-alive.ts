// Owns the sign of life in a quiet event stream: without it neither the relay nor the bridge would
// ever learn that a client has left. Does not open streams and does not know what they tell.

/** The relay finds a client gone at the next write, so its call is cancelled within 6 s. */
const EVERY_MS = 5_000;
const COMMENT = new TextEncoder().encode(": keep-alive\n\n");

/** One line end behind another: the event before it is complete. CR LF is one line end. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)$/;
/** Two line ends are at most this long. */
const TAIL_BYTES = 4;

/**
 * The same answer with a comment whenever nothing else was sent for a while, only between events.
 * What is no event stream is returned as it is.
 */
export function withKeepAlive(response: Response, everyMs = EVERY_MS): Response {
  const { body, status, statusText, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (body === null || !type.toLowerCase().startsWith("text/event-stream")) return response;
  const source = keptAlive(body.getReader(), everyMs);
  // Asked for one piece at a time: no comments pile up before a client that does not read.
  const kept = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return new Response(kept, { status, statusText, headers });
}

/** Whether a stream that begins with these pieces is between two events after them. */
export class EventEnds {
  // As after an event: a stream may begin with a comment.
  #tail = "\n\n";

  push(piece: Uint8Array): void {
    const last = piece.subarray(Math.max(0, piece.length - TAIL_BYTES));
    this.#tail = (this.#tail + String.fromCharCode(...last)).slice(-TAIL_BYTES);
  }

  get isBetween(): boolean {
    return EVENT_END.test(this.#tail);
  }
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

function keptAlive(reader: Reader, everyMs: number) {
  const ends = new EventEnds();
  let next: ReturnType<Reader["read"]> | undefined;
  let stopWaiting: () => void = () => undefined;
  return {
    async pull(controller: { enqueue(piece: Uint8Array): void; close(): void }): Promise<void> {
      next ??= reader.read();
      // Inside an event there is nothing to do but to wait for its rest.
      if (ends.isBetween) {
        const pause = wait(everyMs);
        stopWaiting = pause.stop;
        const came = await Promise.race([next, pause.over]).finally(pause.stop);
        if (came === "over") return controller.enqueue(COMMENT);
      }
      const { done, value } = await next;
      next = undefined;
      if (done || value === undefined) return controller.close();
      ends.push(value);
      return controller.enqueue(value);
    },
    async cancel(reason: unknown): Promise<void> {
      stopWaiting();
      await reader.cancel(reason);
    },
  };
}

function wait(milliseconds: number): { over: Promise<"over">; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"over">((resolve) => {
    timer = setTimeout(() => resolve("over"), milliseconds);
  });
  return { over, stop: () => clearTimeout(timer) };
}
