// Owns tunnelled HTTP: turns stream frames into a web-standard Request, hands it to whoever serves
// its path, and sends the Response back. Bodies are whole in both directions for now.

import type { ErrorBody, ErrorCode } from "../../protocol/codes.ts";
import { ErrorCode as status } from "../../protocol/codes.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { StreamHead } from "../../protocol/http.ts";
import { StreamCancel, StreamOpen } from "../../protocol/http.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { FRAME_SOFT_BYTES, MAX_HTTP_BODY } from "../../protocol/limits.ts";
import type { LinkSender } from "../channels/table.ts";
import { messageOf } from "../errors.ts";
import type { Grant, GrantTable } from "../grants/table.ts";
import type { Log } from "../log.ts";

/** Serves one request of one grant. The path is below the workspace. */
export type Handler = (request: Request, grant: Grant) => Promise<Response>;

interface Pending {
  readonly open: StreamOpen;
  readonly pieces: Uint8Array[];
  readonly abort: AbortController;
  length: number;
}

/** A request has an absolute URL; this one's host means nothing. */
const BASE = "http://bridge";

export class Tunnel {
  readonly #link: LinkSender;
  readonly #grants: GrantTable;
  readonly #handler: Handler;
  readonly #log: Log;
  readonly #pending = new Map<number, Pending>();

  constructor(link: LinkSender, grants: GrantTable, handler: Handler, log: Log) {
    this.#link = link;
    this.#grants = grants;
    this.#handler = handler;
    this.#log = log;
  }

  frame(frame: Frame): void {
    if (frame.type === FrameType.streamOpen) return this.#open(frame);
    const pending = this.#pending.get(frame.stream);
    if (pending === undefined) return undefined;
    switch (frame.type) {
      case FrameType.streamData:
        pending.length += frame.payload.length;
        if (pending.length <= MAX_HTTP_BODY) pending.pieces.push(frame.payload);
        return undefined;
      case FrameType.streamEnd:
        return void this.#serve(frame.stream, pending);
      case FrameType.streamCancel: {
        const cancel = parsePayload(StreamCancel, frame.payload);
        return this.#drop(frame.stream, cancel.ok ? cancel.value.reason : "cancelled");
      }
      default:
        return undefined;
    }
  }

  /** The link is gone, and everybody who waited with it. */
  dropAll(reason: string): void {
    for (const stream of this.#pending.keys()) this.#drop(stream, reason);
  }

  #open(frame: Frame): void {
    const open = parsePayload(StreamOpen, frame.payload);
    if (!open.ok) return this.#log.warn(`request ${frame.stream} has a bad head: ${open.error}`);
    const abort = new AbortController();
    this.#pending.set(frame.stream, { open: open.value, pieces: [], abort, length: 0 });
    return undefined;
  }

  async #serve(stream: number, pending: Pending): Promise<void> {
    const response = await this.#respond(pending).catch((error: unknown) => {
      this.#log.error(`${pending.open.method} ${pending.open.path}: ${messageOf(error)}`);
      return errorResponse("internal", "The bridge could not do that; its log says why");
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (this.#pending.get(stream) !== pending) return;
    this.#pending.delete(stream);
    const head: StreamHead = { status: response.status, headers: [...response.headers] };
    this.#link.send(FrameType.streamHead, stream, toPayload(head));
    for (let at = 0; at < body.length; at += FRAME_SOFT_BYTES) {
      this.#link.send(FrameType.streamData, stream, body.subarray(at, at + FRAME_SOFT_BYTES));
    }
    this.#link.send(FrameType.streamEnd, stream);
  }

  #respond({ open, pieces, abort, length }: Pending): Promise<Response> {
    const grant = this.#grants.lookUp(open.grant);
    if (grant === undefined) {
      return Promise.resolve(
        errorResponse("unauthorized", "This token has expired or was revoked"),
      );
    }
    if (length > MAX_HTTP_BODY) {
      return Promise.resolve(errorResponse("too_large", `The body is over ${MAX_HTTP_BODY} bytes`));
    }
    const { method, path, headers } = open;
    const bodyless = method === "GET" || method === "HEAD";
    const request = new Request(new URL(path, BASE), {
      method,
      headers,
      signal: abort.signal,
      ...(bodyless ? {} : { body: Buffer.concat(pieces) }),
    });
    return this.#handler(request, grant);
  }

  #drop(stream: number, reason: string): void {
    const pending = this.#pending.get(stream);
    this.#pending.delete(stream);
    pending?.abort.abort(reason);
  }
}

export function jsonResponse(code: number, value: object): Response {
  return Response.json(value, { status: code, headers: { "cache-control": "no-store" } });
}

export function errorResponse(code: ErrorCode, error: string): Response {
  const body: ErrorBody = { code, error };
  return jsonResponse(status[code], body);
}
