// Owns the HTTP door: the open requests on this link, and routing frames to them. Each is a caller
// at the hub, which finds the route for a path.

import type { Frame } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import type { StreamCancel } from "../../../protocol/http.ts";
import { StreamOpen } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import type { FrameSender } from "../../channels/channel-table.ts";
import type { GrantSource, Hub } from "../../callers/hub.ts";
import type { Log } from "../../log.ts";
import { HttpExchange } from "./http-exchange.ts";
import { TurnSender } from "./turn-sender.ts";

/** Methods that change nothing, however late they are served. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface HttpTunnelDeps {
  readonly link: FrameSender;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly hub: Pick<Hub, "open" | "request">;
  readonly log: Log;
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
