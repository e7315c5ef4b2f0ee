// Owns one tunnelled request from its head to the last byte of its answer: both bodies as streams,
// the timeout for the head, and every early end. Does not know grants, routes or other requests.

import { BodyReceiver } from "../../protocol/http-body.ts";
import type { ErrorCode } from "../../protocol/codes.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { StreamHead, StreamOpen } from "../../protocol/http.ts";
import { isFileUpload, getMaxBodyBytes, StreamCancel } from "../../protocol/http.ts";
import { parsePayload } from "../../protocol/json.ts";
import { decodeOffset, encodeOffset } from "../../protocol/output.ts";
import { refuse } from "../edge/error-responses.ts";
import { hasBody, parseHead, toResponse } from "./bridge-response.ts";
import type { Link } from "./link.ts";
import { Upload } from "./upload.ts";

/**
 * From the request to its answer's head; for a file upload, from its last piece. The rest of the
 * answer has no limit.
 */
export const HEAD_TIMEOUT_MS = 30_000;

/** Why an exchange ends early, and the error for the client if no answer has begun. */
export interface EarlyEnd {
  readonly reason: string;
  readonly code: ErrorCode;
  /** Only with `bridge_away`. */
  readonly since?: number;
}

type Outcome =
  | { readonly is: "head"; readonly head: StreamHead; readonly body: BodyReceiver | undefined }
  | { readonly is: "refused"; readonly early: EarlyEnd };

type State =
  | { readonly is: "waiting"; readonly settle: (outcome: Outcome) => void }
  /** The head has arrived. Without a body, only the end may follow. */
  | { readonly is: "answering"; readonly body: BodyReceiver | undefined }
  /** The bridge has sent everything; the client has not read all of it. */
  | { readonly is: "draining"; readonly body: BodyReceiver }
  | { readonly is: "over" };

/** The part of the link that an exchange needs. */
type ExchangeLink = Pick<Link, "send" | "sendJson" | "batch">;

export class Exchange {
  readonly link: ExchangeLink;
  readonly #number: number;
  readonly #open: StreamOpen;
  readonly #onOver: () => void;
  readonly #upload: Upload;
  readonly #outcome: Promise<Outcome>;
  #state: State;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(link: ExchangeLink, number: number, open: StreamOpen, onOver: () => void) {
    this.link = link;
    this.#number = number;
    this.#open = open;
    this.#onOver = onOver;
    const maxBytes = getMaxBodyBytes(open.path);
    this.#upload = new Upload(link, number, maxBytes, {
      onSent: () => {
        if (isFileUpload(open.path)) this.#waitForHead();
      },
      onFailed: (why) => {
        const reason = `The body may be at most ${maxBytes} bytes.`;
        if (why === "too_large") this.cancel({ reason, code: "too_large" });
        else this.cancel({ reason: "The request's body was cut off.", code: "bad_request" });
      },
    });
    let settle: (outcome: Outcome) => void = () => undefined;
    this.#outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#state = { is: "waiting", settle };
  }

  get grant(): string {
    return this.#open.grant;
  }

  /** Whether the answer has not begun. */
  get isWaiting(): boolean {
    return this.#state.is === "waiting";
  }

  async run({ body, signal }: Request): Promise<Response> {
    // In production this reports a client that left. A local workerd reports nothing while nothing
    // is written: there the answer's stream notices by its `cancel`.
    signal.addEventListener("abort", () => {
      this.cancel({ reason: "The client left.", code: "bad_request" });
    });
    this.#waitForHead();
    this.link.batch(() => {
      this.link.sendJson(FrameType.streamOpen, this.#number, this.#open);
      if (body === null) this.link.send(FrameType.streamEnd, this.#number);
    });
    if (body !== null) void this.#upload.run(body);
    // Continues after the whole message with the head: a short answer is already complete then.
    const outcome = await this.#outcome;
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.#respond(outcome);
  }

  /** Handles a stream frame from the bridge. */
  take(frame: Frame): void {
    const state = this.#state;
    if (state.is === "draining" || state.is === "over") return undefined;
    switch (frame.type) {
      case FrameType.streamHead:
        return this.#onHead(frame.payload);
      case FrameType.streamData:
        return this.#onData(frame.payload);
      case FrameType.streamEnd:
        return this.#onEnd();
      case FrameType.streamCredit: {
        const limit = decodeOffset(frame.payload);
        if (limit === undefined)
          return this.#fault("The bridge gave a credit that is not a number.");
        return this.#upload.raiseCredit(limit);
      }
      case FrameType.streamCancel: {
        const cancel = parsePayload(StreamCancel, frame.payload);
        const why = cancel.ok ? cancel.value.reason : "no reason given";
        const reason = `The bridge gave up the request: ${why}`;
        return this.#endEarly({ reason, code: "bad_bridge" });
      }
      default:
        return this.#fault("The bridge sent a frame that does not belong to an answer.");
    }
  }

  /** Ends the exchange with its link. An answer that arrived completely is still passed on. */
  abandon(since: number): void {
    if (this.#state.is === "draining") return;
    const reason = "The bridge was lost before it answered.";
    this.#endEarly({ reason, code: "bridge_away", since });
  }

  /** Ends the exchange from this side and notifies the bridge. */
  cancel(early: EarlyEnd): void {
    const state = this.#state.is;
    if (state === "over") return;
    if (state !== "draining") this.#sendCancel(early.reason);
    this.#endEarly(early);
  }

  #waitForHead(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#state.is !== "waiting") return;
    this.#timer = setTimeout(() => {
      this.cancel({ reason: "The bridge took too long to answer.", code: "bridge_timeout" });
    }, HEAD_TIMEOUT_MS);
  }

  #onHead(payload: Uint8Array): void {
    const state = this.#state;
    if (state.is !== "waiting") return this.#fault("The bridge began its answer twice.");
    const head = parseHead(payload);
    if (!head.ok) return this.#fault(head.error);
    const body = hasBody(this.#open.method, head.value.status) ? this.#newBody() : undefined;
    this.#state = { is: "answering", body };
    return state.settle({ is: "head", head: head.value, body });
  }

  #onData(payload: Uint8Array): void {
    const state = this.#state;
    if (state.is !== "answering") return this.#fault("The bridge sent a body before its head.");
    if (state.body === undefined) return this.#fault("The bridge's answer may have no body.");
    if (state.body.receive(payload)) return undefined;
    return this.#fault("The bridge sent more than it had credit for.");
  }

  #onEnd(): void {
    const state = this.#state;
    if (state.is !== "answering") return this.#fault("The bridge ended an answer it never began.");
    this.#upload.stop();
    if (state.body === undefined) return this.#finish();
    this.#state = { is: "draining", body: state.body };
    return state.body.end();
  }

  #newBody(): BodyReceiver {
    return new BodyReceiver({
      grantCredit: (limit) => {
        this.link.send(FrameType.streamCredit, this.#number, encodeOffset(limit));
      },
      onDone: () => {
        if (this.#state.is === "answering") this.#sendCancel("The client left.");
        this.#finish();
      },
    });
  }

  #respond(outcome: Outcome): Response {
    if (outcome.is === "refused") {
      const { code, reason, since } = outcome.early;
      return refuse(code, reason, since);
    }
    const { head, body } = outcome;
    // The body may have failed already, in the same message.
    if (body?.failure !== undefined) return refuse("bad_bridge", body.failure.message);
    const response = toResponse(head, body);
    if (response !== undefined) return response;
    const reason = "The bridge's answer has a head that cannot be sent.";
    this.#fault(reason);
    return refuse("bad_bridge", reason);
  }

  /** Ends this exchange after an invalid frame; the link goes on. */
  #fault(reason: string): void {
    this.cancel({ reason, code: "bad_bridge" });
  }

  #sendCancel(reason: string): void {
    this.link.sendJson(FrameType.streamCancel, this.#number, { reason });
  }

  #endEarly(early: EarlyEnd): void {
    const state = this.#state;
    this.#finish();
    if (state.is === "waiting") return state.settle({ is: "refused", early });
    if (state.is === "answering" || state.is === "draining") {
      return state.body?.fail(new Error(early.reason));
    }
    return undefined;
  }

  #finish(): void {
    if (this.#state.is === "over") return;
    this.#state = { is: "over" };
    this.#upload.stop();
    this.#onOver();
  }
}
