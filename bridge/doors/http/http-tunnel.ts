// Owns the HTTP door: the open requests on this link, and routing frames to them. Each is a caller
// at the hub, which finds the route for a path. Also owns when the tunnel's frames are sent: frames
// of one turn of the event loop go together, so that a short answer is one message, and a turn has
// a size limit, so that terminal output is sent in between however many bodies are open.

import { FrameType } from "../../../protocol/frame-types.ts";
import type { Frame } from "../../../protocol/frame.ts";
import { encodeFrame } from "../../../protocol/frame.ts";
import type { StreamCancel } from "../../../protocol/http.ts";
import { StreamOpen } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { GrantSource } from "../../callers/hub.ts";
import type { FrameSender } from "../../channels/channel-table.ts";
import type { Log } from "../../log.ts";
import type { SealedSessions } from "../../sealed/sealed-sessions.ts";
import type { ExchangeDeps } from "./http-exchange.ts";
import { HttpExchange } from "./http-exchange.ts";

/** Methods that change nothing, however late they are served. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Requests of all links together; an honest room limits each link to 32. */
const MAX_OPEN_REQUESTS = 2_048;

export interface HttpTunnelDeps {
  readonly link: FrameSender;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly hub: ExchangeDeps["hub"];
  readonly log: Log;
  /** The open sessions of a sealed room; undefined in a plain one. */
  readonly sessions?: SealedSessions | undefined;
  /** Whether a request with the room's timestamp `at` waited too long to be served. */
  readonly isLate?: (at: number) => boolean;
}

export class HttpTunnel {
  readonly #turns: TurnSender;
  readonly #deps: HttpTunnelDeps;
  readonly #exchanges = new Map<number, HttpExchange>();

  constructor(deps: HttpTunnelDeps) {
    this.#turns = new TurnSender(deps.link);
    this.#deps = deps;
  }

  /** Handles a frame of the stream family; frames for ended requests are ignored. */
  onFrame(frame: Frame): void {
    if (frame.type === FrameType.streamOpen) this.#open(frame);
    else this.#exchanges.get(frame.stream)?.onFrame(frame);
  }

  /** Ends all requests: the link is gone. */
  dropAll(reason: string): void {
    for (const exchange of this.#exchanges.values()) exchange.drop(reason);
    this.#turns.clear();
  }

  #open({ stream, payload }: Frame): void {
    const open = parsePayload(StreamOpen, payload);
    if (!open.ok) {
      this.#deps.log.warn(`request ${stream} has a bad head: ${open.error}`);
      const cancel: StreamCancel = { reason: "the request's head is invalid" };
      return this.#turns.send(FrameType.streamCancel, stream, toPayload(cancel));
    }
    if (this.#exchanges.size >= MAX_OPEN_REQUESTS) {
      const cancel: StreamCancel = { reason: "too many requests are open" };
      return this.#turns.send(FrameType.streamCancel, stream, toPayload(cancel));
    }
    // The room reuses a number only if this bridge missed the end of its last use.
    this.#exchanges.get(stream)?.drop("the room no longer has this request");
    const exchange = new HttpExchange(stream, open.value, {
      ...this.#deps,
      turns: this.#turns,
      isLate: this.#deps.isLate?.(open.value.at) === true && !SAFE_METHODS.has(open.value.method),
      onEnd: () => this.#exchanges.delete(stream),
    });
    this.#exchanges.set(stream, exchange);
    return void exchange.serve();
  }
}

/** Two full frames of a body; a keystroke's echo waits for at most this much. */
export const TURN_BYTES = 128 * KiB;

export class TurnSender {
  readonly #link: FrameSender;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #spent = 0;
  #turnEnd: NodeJS.Immediate | undefined;
  #waiting: (() => void)[] = [];

  constructor(link: FrameSender) {
    this.#link = link;
  }

  send(type: number, stream: number, payload?: Uint8Array): void {
    const frame = encodeFrame(type, stream, payload);
    if (this.#heldBytes + frame.length > TURN_BYTES) this.#flush();
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  /**
   * Resolves in a turn with room for a piece of a body, and reserves it. Other frames are small.
   */
  async reserve(bytes: number): Promise<void> {
    while (this.#spent >= TURN_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#spent += bytes;
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  /** Drops the held frames: they were for a link that is gone. */
  clear(): void {
    clearImmediate(this.#turnEnd);
    this.#held = [];
    this.#heldBytes = 0;
    this.#endTurn();
  }

  #endTurn(): void {
    this.#turnEnd = undefined;
    this.#flush();
    this.#spent = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const proceed of waiting) proceed();
  }

  #flush(): void {
    const [only] = this.#held;
    if (only === undefined) return;
    this.#link.sendBytes(this.#held.length === 1 ? only : Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }
}
