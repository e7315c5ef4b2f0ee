// Owns one tunnelled request on the bridge's side: builds a web-standard Request from the room's
// frames, has it served, and sends the Response back as it comes. The end of the answer ends both;
// unread parts of the request's body are dropped then. Also owns the caller behind a tunnelled HTTP
// request, for as long as it is served.

import type { ErrorCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { BodyReceiver, BodySender } from "../../../protocol/http-body.ts";
import type { SealedRequestHead, StreamHead, StreamOpen } from "../../../protocol/http.ts";
import { getMaxBodyBytes, StreamCancel } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import { decodeOffset, encodeOffset } from "../../../protocol/output.ts";
import { SealedFault } from "../../../protocol/sealed/faults.ts";
import { isSealedRequest } from "../../../protocol/sealed/http-records.ts";
import type { Caller, CloseReason, Door, CallerStatus } from "../../callers/caller.ts";
import { applyLimit } from "../../callers/permissions.ts";
import type { GrantSource, Hub } from "../../callers/hub.ts";
import { errorResponse } from "../../callers/json-response.ts";
import { lateResponse } from "../../callers/late-notices.ts";
import { errorMessage } from "../../errors.ts";
import { INTERNAL_ERROR, logFault } from "../../faults.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { Log } from "../../log.ts";
import type { SealedSessions } from "../../sealed/sealed-sessions.ts";
import { openSealedRequest, SealedHttpCaller, sealResponse } from "./sealed-request.ts";
import type { TurnSender } from "./http-tunnel.ts";

export interface ExchangeDeps {
  readonly turns: TurnSender;
  readonly log: Log;
  readonly grants: Pick<GrantSource, "lookUp">;
  /**
   * Serves requests, with paths below the workspace. `request.signal` aborts when the client no
   * longer waits; a body's `cancel` runs then too.
   */
  readonly hub: Pick<Hub, "open" | "request" | "isOpen">;
  /** The open sessions of a sealed room; undefined in a plain one. */
  readonly sessions?: SealedSessions | undefined;
  /** The request waited too long: it gets an error and is not served. */
  readonly isLate: boolean;
  readonly onEnd: () => void;
}

/** Error codes of refusals; any other is `unauthorized`. */
const REFUSAL_CODES: Partial<Record<CloseReason["why"], ErrorCode>> = {
  sealed: "forbidden",
  internal: "internal",
};

/** Reveals nothing to the relay, and not which check failed. */
const SEALED_REFUSAL = "This encrypted request does not belong to an open connection: try again";

/** A Request needs an absolute URL; this host is a placeholder. */
const BASE = "http://bridge";

export class HttpExchange {
  readonly #stream: number;
  readonly #open: StreamOpen;
  readonly #deps: ExchangeDeps;
  /** Undefined for a sealed request until its session is known. */
  #caller: Caller | undefined;
  /** Where sealed requests find their session; undefined for a plain one. */
  readonly #sessions: SealedSessions | undefined;
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
    this.#sessions = isSealedRequest(open) ? deps.sessions : undefined;
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
    if (this.#hasEnded) return undefined;
    const { isLate } = this.#deps;
    try {
      if (this.#sessions !== undefined)
        return await this.#reply(isLate ? lateResponse() : await this.#unseal(this.#sessions));
      const { grants } = this.#deps;
      const caller = new HttpCaller(this.#open, grants, (reason) => this.#onClosed(reason));
      this.#enter(caller);
      if (this.#hasHead) return undefined;
      await this.#reply(isLate ? lateResponse() : await this.#handle(caller));
    } catch (error) {
      // After an abort, handlers end with errors.
      if (this.#hasEnded) return undefined;
      this.#deps.log.error(`${method} ${path}: the answer was cut off: ${errorMessage(error)}`);
      this.#cancel("the answer was cut off; see the bridge's log");
    }
    return undefined;
  }

  #enter(caller: Caller): void {
    this.#caller = caller;
    this.#leave = this.#deps.hub.open(caller);
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

  /** Serves a sealed request as its session's person; refuses what did not open. */
  async #unseal(sessions: SealedSessions): Promise<Response> {
    const { hub } = this.#deps;
    const { path, grant } = this.#open;
    const stream = new ReadableStream(this.#request.source, { highWaterMark: 0 });
    try {
      const opened = await openSealedRequest(sessions, { path, grant, stream });
      // A visitor that waits to be let in has a session, too.
      const isOpen = hub.isOpen(opened.caller) && !opened.ended.aborted;
      if (this.#hasEnded || !isOpen) return refuseSealed();
      const end = () => this.#onClosed({ why: "sealed", message: SEALED_REFUSAL });
      const caller = new SealedHttpCaller(opened, end);
      this.#enter(caller);
      const leave = this.#leave;
      opened.ended.addEventListener("abort", end);
      this.#leave = () => {
        opened.ended.removeEventListener("abort", end);
        leave();
      };
      if (this.#hasHead) return refuseSealed();
      const { head, body, sealer } = opened;
      return sealResponse(sealer, await this.#handle(caller, head, body), head);
    } catch (error) {
      if (!(error instanceof SealedFault) && !this.#hasEnded)
        logFault(this.#deps.log, "a sealed request", error);
      return refuseSealed();
    }
  }

  async #handle(
    caller: Caller,
    { method, path, headers }: SealedRequestHead = this.#open,
    body: Uint8Array<ArrayBuffer> | ReadableStream | undefined = this.#body(method),
  ): Promise<Response> {
    try {
      this.#served = new Request(BASE + path, {
        method,
        headers,
        signal: this.#abort.signal,
        ...(body === undefined ? {} : { body, duplex: "half" }),
      });
      const response = await this.#deps.hub.request(caller, this.#served);
      return response ?? errorResponse("not_found", `Nothing is served at ${path}`);
    } catch (error) {
      if (!this.#hasEnded) logFault(this.#deps.log, `${method} ${path}`, error);
      return errorResponse("internal", INTERNAL_ERROR);
    }
  }

  #body(method: string): Uint8Array<ArrayBuffer> | ReadableStream | undefined {
    if (method === "GET" || method === "HEAD") return undefined;
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
    if (this.#caller !== undefined && this.#caller.grant() === undefined)
      return this.#cancel("the token has expired or was revoked");
    return this.#send(FrameType.streamData, piece);
  }

  /** Ends the answer of a caller that was refused or whose grant ended: an error before its head, cut after it. */
  #onClosed({ why, message }: CloseReason): void {
    if (this.#hasEnded) return;
    this.#abort.abort(new Error("the token has expired or was revoked"));
    if (this.#hasHead) return this.#cancel("the token has expired or was revoked");
    if (this.#sessions !== undefined) {
      // The caller's grant ended with the session; the refusal goes to the request's sender.
      this.#caller = undefined;
      return void this.#reply(refuseSealed());
    }
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

function refuseSealed(): Response {
  return errorResponse("forbidden", SEALED_REFUSAL);
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
