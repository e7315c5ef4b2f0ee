// Owns HTTP through the link: one stream for each request, whole answers, limits and ends. The
// bridge gets bodies as they come; answers are collected, since credits for streams come later.
// Does not know routes or rights: whoever calls has checked the ticket.

import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { StreamOpen } from "../../protocol/http.ts";
import { FRAME_SOFT_BYTES, MAX_HTTP_BODY, MAX_REQUESTS_PER_GRANT } from "../../protocol/limits.ts";
import { refuse } from "../edge/answers.ts";
import { forClient } from "../edge/headers.ts";
import { carriedHeaders } from "../edge/room-request.ts";
import type { Link } from "./link.ts";
import type { Answer } from "./stream.ts";
import { advance, WAITING } from "./stream.ts";

/** Longer than anything the bridge answers in one piece; longer work is for streams. */
const ANSWER_TIMEOUT_MS = 30_000;
const BODILESS = new Set([204, 205, 304]);

interface Stream {
  readonly link: Link;
  readonly number: number;
  readonly settle: (response: Response) => void;
  answer: Answer;
}

export class Tunnel {
  readonly #streams = new Map<number, Stream>();
  readonly #perGrant = new Map<string, number>();
  readonly #nextNumber: () => number;

  constructor(nextNumber: () => number) {
    this.#nextNumber = nextNumber;
  }

  async carry(link: Link, request: Request, grant: string, path: string): Promise<Response> {
    const busy = this.#perGrant.get(grant) ?? 0;
    if (busy >= MAX_REQUESTS_PER_GRANT) {
      return refuse("too_many", `This grant has ${busy} requests under way; wait for one to end.`);
    }
    this.#perGrant.set(grant, busy + 1);
    try {
      return await this.#exchange(link, request, grant, path);
    } finally {
      const left = (this.#perGrant.get(grant) ?? 1) - 1;
      if (left === 0) this.#perGrant.delete(grant);
      else this.#perGrant.set(grant, left);
    }
  }

  /** A frame of the stream family from the bridge. Late ones, for streams that ended, are nothing. */
  take(frame: Frame): void {
    const stream = this.#streams.get(frame.stream);
    if (stream === undefined) return;
    stream.answer = advance(stream.answer, frame);
    const { answer } = stream;
    if (answer.state === "whole") this.#end(stream, toResponse(answer));
    if (answer.state !== "failed") return;
    const response = refuse("bad_bridge", answer.error);
    if (answer.told) this.#end(stream, response);
    else this.#cancel(stream, answer.error, response);
  }

  /** The link is gone, and the answers with it. */
  abandon(link: Link, since: number): void {
    for (const stream of this.#streams.values()) {
      if (stream.link !== link) continue;
      this.#end(stream, refuse("bridge_away", "The bridge was lost before it answered.", since));
    }
  }

  async #exchange(link: Link, request: Request, grant: string, path: string): Promise<Response> {
    const number = this.#nextNumber();
    let settle: (response: Response) => void = () => undefined;
    const answered = new Promise<Response>((resolve) => {
      settle = resolve;
    });
    const stream: Stream = { link, number, settle, answer: WAITING };
    this.#streams.set(number, stream);
    const timer = setTimeout(() => {
      const response = refuse("bridge_timeout", "The bridge took too long to answer.");
      this.#cancel(stream, "timeout", response);
    }, ANSWER_TIMEOUT_MS);
    const onAbort = () => {
      // Nobody reads this answer, but the request's end needs one.
      this.#cancel(stream, "the client left", refuse("bad_request", "The client left."));
    };
    request.signal.addEventListener("abort", onAbort);
    try {
      const { method } = request;
      const head: StreamOpen = { method, path, headers: carriedHeaders(request), grant };
      link.sendJson(FrameType.streamOpen, number, head);
      void this.#sendBody(stream, request.body);
      return await answered;
    } finally {
      this.#streams.delete(number);
      clearTimeout(timer);
      request.signal.removeEventListener("abort", onAbort);
    }
  }

  async #sendBody(stream: Stream, body: ReadableStream<Uint8Array> | null): Promise<void> {
    const { link, number } = stream;
    let size = 0;
    try {
      for await (const part of body ?? []) {
        if (!this.#streams.has(number)) return;
        size += part.length;
        if (size > MAX_HTTP_BODY) {
          const error = `A body may have ${MAX_HTTP_BODY} bytes at most.`;
          return this.#cancel(stream, error, refuse("too_large", error));
        }
        for (let at = 0; at < part.length; at += FRAME_SOFT_BYTES) {
          link.send(FrameType.streamData, number, part.subarray(at, at + FRAME_SOFT_BYTES));
        }
      }
      if (this.#streams.has(number)) link.send(FrameType.streamEnd, number);
    } catch {
      const response = refuse("bad_request", "The request's body broke off.");
      this.#cancel(stream, "the body broke off", response);
    }
    return undefined;
  }

  #cancel(stream: Stream, reason: string, response: Response): void {
    if (!this.#streams.has(stream.number)) return;
    stream.link.sendJson(FrameType.streamCancel, stream.number, { reason });
    this.#end(stream, response);
  }

  #end(stream: Stream, response: Response): void {
    this.#streams.delete(stream.number);
    stream.settle(response);
  }
}

function toResponse({ head, body }: Extract<Answer, { state: "whole" }>): Response {
  const init = { status: head.status, headers: forClient(head.headers) };
  try {
    return new Response(BODILESS.has(head.status) ? null : body, init);
  } catch {
    // A header that cannot be sent as it is.
    return refuse("bad_bridge", "The bridge's answer has a head that cannot be sent.");
  }
}
