// Owns one tunnelled request on the bridge's side: builds a web-standard Request from the room's
// frames, has it served, and sends the Response back as it comes. The end of the answer ends both;
// unread parts of the request's body are dropped then. Also owns the caller behind a tunnelled HTTP
// request, for as long as it is served.

import type { ErrorCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { BodyReceiver, BodySender } from "../../../protocol/http-body.ts";
import type { StreamHead, StreamOpen } from "../../../protocol/http.ts";
import { getMaxBodyBytes, StreamCancel } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import { decodeOffset, encodeOffset } from "../../../protocol/output.ts";
import type { Caller, CloseReason, Door, CallerStatus } from "../../callers/caller.ts";
import { applyLimit } from "../../callers/caller.ts";
import type { GrantSource, Hub } from "../../callers/hub.ts";
import { errorResponse } from "../../callers/json-response.ts";
import { lateResponse } from "../../callers/late-notices.ts";
import { errorMessage } from "../../errors.ts";
import { INTERNAL_ERROR, logFault } from "../../faults.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { Log } from "../../log.ts";
import type { TurnSender } from "./http-tunnel.ts";

export interface ExchangeDeps {
  readonly turns: TurnSender;
  readonly log: Log;
  readonly grants: Pick<GrantSource, "lookUp">;
  /**
   * Serves requests, with paths below the workspace. `request.signal` aborts when the client no
   * longer waits; a body's `cancel` runs then too.
   */
  readonly hub: Pick<Hub, "open" | "request">;
  /** The request waited too long: it gets an error and is not served. */
  readonly isLate: boolean;
  readonly onEnd: () => void;
}

/** Error codes of refusals; any other is `unauthorized`. */
const REFUSAL_CODES: Partial<Record<CloseReason["why"], ErrorCode>> = {
  sealed: "forbidden",
  internal: "internal",
};

/** A Request needs an absolute URL; this host is a placeholder. */
const BASE = "http://bridge";

export class HttpExchange {
  readonly #stream: number;
  readonly #open: StreamOpen;
  readonly #deps: ExchangeDeps;
  readonly #caller: Caller;
  #leave: () => void = () => {};
  #hasHead = false;
  readonly #abort = new AbortController();
  readonly #request: BodyReceiver;
  readonly #response = new BodySender((piece) => this.#sendPiece(piece));
  /**
   * Kept until the end: Node does not abort the signal of a Request that was garbage collected, and
   * a handler that has answered with a stream holds only the signal (undici 6.24, measured).
   */
  #served: Request | undefined;
  #received = 0;
  #hasEnded = false;

  constructor(stream: number, open: StreamOpen, deps: ExchangeDeps) {
    this.#stream = stream;
    this.#open = open;
    this.#deps = deps;
    this.#caller = new HttpCaller(open, deps.grants, (reason) => this.#onClosed(reason));
    this.#request = new BodyReceiver({
      grantCredit: (limit) => {
        if (!this.#hasEnded) this.#send(FrameType.streamCredit, encodeOffset(limit));
      },
      // A handler that stops reading the request may still answer it.
      onDone: () => undefined,
    });
  }

  async serve(): Promise<void> {
    const { method, path } = this.#open;
    // Continues after the message that brought the head: a short request came whole in it.
    await Promise.resolve();
    if (this.#hasEnded) return;
    this.#leave = this.#deps.hub.open(this.#caller);
    try {
      if (this.#hasHead) return;
      await this.#reply(this.#deps.isLate ? lateResponse() : await this.#handle());
    } catch (error) {
      // After an abort, handlers end with errors.
      if (this.#hasEnded) return;
      this.#deps.log.error(`${method} ${path}: the answer was cut off: ${errorMessage(error)}`);
      this.#cancel("the answer was cut off; see the bridge's log");
    }
  }

  /** Handles a frame of this stream from the room. */
  onFrame({ type, payload }: Frame): void {
    switch (type) {
      case FrameType.streamData:
        this.#received += payload.length;
        if (this.#received > getMaxBodyBytes(this.#open.path)) {
          return this.#cancel("the body is too long");
        }
        if (!this.#request.receive(payload)) return this.#cancel("sent without credit");
        return undefined;
      case FrameType.streamEnd:
        return this.#request.end();
      case FrameType.streamCredit: {
        const limit = decodeOffset(payload);
        return limit === undefined
          ? this.#cancel("the credit is not a number")
          : this.#response.raise(limit);
      }
      case FrameType.streamCancel: {
        const cancel = parsePayload(StreamCancel, payload);
        return this.drop(cancel.ok ? cancel.value.reason : "cancelled");
      }
      default:
        return undefined;
    }
  }

  /** Ends the exchange: the client no longer waits, and the room knows. */
  drop(reason: string): void {
    if (this.#hasEnded) return;
    const gone = new Error(reason);
    this.#abort.abort(gone);
    this.#end(gone);
  }

  async #handle(): Promise<Response> {
    const { method, path, headers } = this.#open;
    try {
      this.#served = new Request(BASE + path, {
        method,
        headers,
        signal: this.#abort.signal,
        ...(method === "GET" || method === "HEAD" ? {} : { body: this.#body(), duplex: "half" }),
      });
      const response = await this.#deps.hub.request(this.#caller, this.#served);
      return response ?? errorResponse("not_found", `Nothing is served at ${path}`);
    } catch (error) {
      if (!this.#hasEnded) logFault(this.#deps.log, `${method} ${path}`, error);
      return errorResponse("internal", INTERNAL_ERROR);
    }
  }

  #body(): Uint8Array<ArrayBuffer> | ReadableStream {
    const whole = this.#request.takeWhole();
    return whole ?? new ReadableStream(this.#request.source, { highWaterMark: 0 });
  }

  async #reply({ status, headers, body }: Response): Promise<void> {
    if (this.#hasEnded || this.#hasHead) {
      await body?.cancel();
      return;
    }
    this.#hasHead = true;
    const head: StreamHead = { status, headers: [...headers] };
    this.#send(FrameType.streamHead, toPayload(head));
    if (body !== null && this.#open.method === "HEAD") await body.cancel();
    else if (body !== null && !(await this.#response.pump(body.getReader()))) return;
    if (this.#hasEnded) return;
    this.#send(FrameType.streamEnd);
    this.#end(new Error("the answer has ended"));
  }

  async #sendPiece(piece: Uint8Array): Promise<void> {
    await this.#deps.turns.reserve(piece.length);
    if (this.#hasEnded) return undefined;
    if (this.#caller.grant() === undefined)
      return this.#cancel("the token has expired or was revoked");
    return this.#send(FrameType.streamData, piece);
  }

  /** Ends the answer of a caller that was refused or whose grant ended: an error before its head, cut after it. */
  #onClosed({ why, message }: CloseReason): void {
    if (this.#hasEnded) return;
    this.#abort.abort(new Error("the token has expired or was revoked"));
    if (this.#hasHead) return this.#cancel("the token has expired or was revoked");
    const code = REFUSAL_CODES[why] ?? "unauthorized";
    const isEnded = why === "revoked" || why === "expired";
    const error = isEnded ? "This token has expired or was revoked" : message;
    void this.#reply(errorResponse(code, error));
    return undefined;
  }

  /** Ends the exchange from this side and notifies the room. */
  #cancel(reason: string): void {
    if (this.#hasEnded) return;
    const payload: StreamCancel = { reason };
    this.#send(FrameType.streamCancel, toPayload(payload));
    this.drop(reason);
  }

  #send(type: number, payload?: Uint8Array): void {
    this.#deps.turns.send(type, this.#stream, payload);
  }

  #end(why: Error): void {
    this.#hasEnded = true;
    this.#leave();
    this.#served = undefined;
    this.#response.stop();
    this.#request.fail(why);
    this.#deps.onEnd();
  }
}

/** Broadcasts are dropped: an HTTP caller waits only for its answer. */
export const HTTP_DOOR: Door = { name: "http", proof: "ticket", sendAll: () => {} };

class HttpCaller implements Caller {
  readonly door = HTTP_DOOR;
  readonly since = Date.now();
  readonly grantId: string;
  status: CallerStatus | undefined;
  readonly #grants: Pick<GrantSource, "lookUp">;
  readonly ticket: string | undefined;
  readonly #end: (reason: CloseReason) => void;

  constructor(
    { grant, ticket }: Pick<StreamOpen, "grant" | "ticket">,
    grants: Pick<GrantSource, "lookUp">,
    end: (reason: CloseReason) => void,
  ) {
    this.grantId = grant;
    this.ticket = ticket;
    this.#grants = grants;
    this.#end = end;
  }

  grant(): Grant | undefined {
    const grant = this.#grants.lookUp(this.grantId);
    return grant === undefined ? undefined : applyLimit(grant, this.status);
  }

  send(): void {
    // An HTTP caller gets only its answer.
  }

  close(reason: CloseReason): void {
    this.#end(reason);
  }
}
