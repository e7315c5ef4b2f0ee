// Owns the two ways in which a test's bridge answers tunnelled requests: a small server that waits
// for whole bodies, and the bridge's own tunnel.

import { Hub } from "../../bridge/callers/hub.ts";
import { createLog } from "../../bridge/log.ts";
import { HttpTunnel } from "../../bridge/doors/http/http-tunnel.ts";
import { BodySender } from "../../protocol/http-body.ts";
import type { Frame } from "../../protocol/frame.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { StreamOpen } from "../../protocol/http.ts";
import { decodeOffset } from "../../protocol/output.ts";
import { newToken } from "./credentials.ts";
import { read } from "./frames.ts";
import type { TestSocket } from "./test-socket.ts";

/** What a bridge does with a request. */
export type Handler = (request: Request) => Promise<Response>;

export interface ServedAnswer {
  readonly status?: number;
  readonly headers?: [string, string][];
  readonly body?: string | Uint8Array;
}

export type Answering = (path: string, body: Buffer, head: StreamOpen) => ServedAnswer;

type Send = (type: keyof typeof FrameType, stream: number, payload?: Uint8Array | object) => void;

export class RequestServer {
  readonly #answer: Answering;
  readonly #send: Send;
  readonly #requests = new Map<number, { head: StreamOpen; parts: Uint8Array[] }>();
  readonly #answering = new Map<number, BodySender>();

  constructor(answer: Answering, send: Send) {
    this.#answer = answer;
    this.#send = send;
  }

  take(frame: Frame): void {
    const { stream } = frame;
    if (frame.type === FrameType.streamOpen) {
      this.#requests.set(stream, { head: read(StreamOpen, frame), parts: [] });
    }
    if (frame.type === FrameType.streamCredit) {
      this.#answering.get(stream)?.raise(decodeOffset(frame.payload) ?? 0);
    }
    const request = this.#requests.get(stream);
    if (request === undefined) return;
    if (frame.type === FrameType.streamData) request.parts.push(frame.payload);
    if (frame.type !== FrameType.streamEnd) return;
    this.#requests.delete(stream);
    const {
      status = 200,
      headers = [],
      body = "",
    } = this.#answer(request.head.path, Buffer.concat(request.parts), request.head);
    this.#send("streamHead", stream, { status, headers });
    void this.#sendBody(stream, Buffer.from(body));
  }

  /** A whole body within its credit, then the end. */
  async #sendBody(stream: number, body: Uint8Array): Promise<void> {
    const sender = new BodySender((piece) => this.#send("streamData", stream, piece));
    this.#answering.set(stream, sender);
    await sender.pump(new Blob([new Uint8Array(body)]).stream().getReader());
    this.#answering.delete(stream);
    this.#send("streamEnd", stream);
  }
}

/** The tunnel of a real bridge on this socket, which knows every grant that is good. */
export function realTunnel(
  socket: TestSocket,
  handler: Handler,
  isGood: (grant: string) => boolean,
): HttpTunnel {
  const link = {
    send: (type: number, stream: number, payload?: Uint8Array) =>
      socket.raw.send(encodeFrame(type, stream, payload)),
    sendBytes: (frames: Uint8Array) => socket.raw.send(frames),
  };
  const { hash } = newToken("edit").record;
  const grant = { scopes: [], label: "", hash, expiresAt: null, session: true };
  const grants = {
    lookUp: (id: string) => (isGood(id) ? { ...grant, id, role: "edit" as const } : undefined),
    onEvent: () => () => {},
  };
  const log = createLog("silent", () => undefined);
  const hub = new Hub(grants, log);
  // Whatever the path: the tunnel does not know which there are.
  const request = (_caller: unknown, asked: Request) => handler(asked);
  return new HttpTunnel({
    link,
    grants,
    hub: { isOpen: () => true, open: (caller) => hub.open(caller), request },
    log,
  });
}
