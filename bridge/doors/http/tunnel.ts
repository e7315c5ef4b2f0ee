// Owns the HTTP door: which requests are under way on this link, and where each frame goes. Each is
// a caller at the hub, which knows who serves a path.

import type { Frame } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import type { StreamCancel } from "../../../protocol/http.ts";
import { StreamOpen } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import type { FrameSender } from "../../channels/table.ts";
import type { GrantSource, Hub } from "../../callers/hub.ts";
import type { Log } from "../../log.ts";
import { Exchange } from "./exchange.ts";
import { Turns } from "./turns.ts";

/** These change nothing, however late they are served. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface TunnelParts {
  readonly link: FrameSender;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly hub: Pick<Hub, "open" | "request">;
  readonly log: Log;
  /** Whether a request that the room stamped with this time waited too long to be served. */
  readonly isLate?: (at: number) => boolean;
}

export class Tunnel {
  readonly #turns: Turns;
  readonly #parts: TunnelParts;
  readonly #exchanges = new Map<number, Exchange>();

  constructor(parts: TunnelParts) {
    this.#turns = new Turns(parts.link);
    this.#parts = parts;
  }

  /** Any frame of the stream family. Late ones, for requests that ended, are nothing. */
  frame(frame: Frame): void {
    if (frame.type === FrameType.streamOpen) this.#open(frame);
    else this.#exchanges.get(frame.stream)?.frame(frame);
  }

  /** The link is gone, and everybody who waited with it. */
  dropAll(reason: string): void {
    for (const exchange of this.#exchanges.values()) exchange.drop(reason);
    this.#turns.clear();
  }

  #open({ stream, payload }: Frame): void {
    const open = parsePayload(StreamOpen, payload);
    if (!open.ok) {
      this.#parts.log.warn(`request ${stream} has a bad head: ${open.error}`);
      const cancel: StreamCancel = { reason: "the request's head does not fit" };
      return this.#turns.send(FrameType.streamCancel, stream, toPayload(cancel));
    }
    // A number is used again only if this bridge missed how its last use ended.
    this.#exchanges.get(stream)?.drop("the room forgot this request");
    const exchange = new Exchange(stream, open.value, {
      ...this.#parts,
      turns: this.#turns,
      isLate: this.#parts.isLate?.(open.value.at) === true && !SAFE_METHODS.has(open.value.method),
      onOver: () => this.#exchanges.delete(stream),
    });
    this.#exchanges.set(stream, exchange);
    return void exchange.serve();
  }
}
