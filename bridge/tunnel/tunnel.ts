// Owns tunnelled HTTP: which requests are under way on this link, and where each frame goes.
// Who serves a path is the handler's business.

import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { StreamCancel } from "../../protocol/http.ts";
import { StreamOpen } from "../../protocol/http.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import type { LinkSender } from "../channels/table.ts";
import type { GrantTable } from "../grants/table.ts";
import type { Log } from "../log.ts";
import type { Handler } from "./exchange.ts";
import { Exchange } from "./exchange.ts";
import { Turns } from "./turns.ts";

export { errorResponse, jsonResponse } from "./answers.ts";
export type { Handler } from "./exchange.ts";

export class Tunnel {
  readonly #turns: Turns;
  readonly #grants: Pick<GrantTable, "lookUp">;
  readonly #handler: Handler;
  readonly #log: Log;
  readonly #exchanges = new Map<number, Exchange>();

  constructor(link: LinkSender, grants: Pick<GrantTable, "lookUp">, handler: Handler, log: Log) {
    this.#turns = new Turns(link);
    this.#grants = grants;
    this.#handler = handler;
    this.#log = log;
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
      this.#log.warn(`request ${stream} has a bad head: ${open.error}`);
      const cancel: StreamCancel = { reason: "the request's head does not fit" };
      return this.#turns.send(FrameType.streamCancel, stream, toPayload(cancel));
    }
    // A number is used again only if this bridge missed how its last use ended.
    this.#exchanges.get(stream)?.drop("the room forgot this request");
    const exchange = new Exchange(stream, open.value, {
      turns: this.#turns,
      log: this.#log,
      grant: () => this.#grants.lookUp(open.value.grant),
      handler: this.#handler,
      onOver: () => this.#exchanges.delete(stream),
    });
    this.#exchanges.set(stream, exchange);
    return void exchange.serve();
  }
}
