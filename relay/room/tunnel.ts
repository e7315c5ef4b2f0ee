// Owns HTTP through the link: which exchanges there are, how many a grant may have, and where each
// frame goes. Does not know routes or rights: whoever calls has checked the ticket.

import type { Frame } from "../../protocol/frame.ts";
import { MAX_REQUESTS_PER_GRANT } from "../../protocol/limits.ts";
import { refuse } from "../edge/answers.ts";
import { carriedHeaders } from "../edge/room-request.ts";
import type { Early } from "./exchange.ts";
import { Exchange } from "./exchange.ts";
import type { Link } from "./link.ts";

export class Tunnel {
  readonly #exchanges = new Map<number, Exchange>();
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
    const number = this.#nextNumber();
    const { method } = request;
    const open = { method, path, headers: carriedHeaders(request), grant, at: Date.now() };
    // Until its last byte is taken: an answer that nobody reads costs the room a window.
    const exchange = new Exchange(link, number, open, () => this.#forget(number, grant));
    this.#perGrant.set(grant, busy + 1);
    this.#exchanges.set(number, exchange);
    return await exchange.run(request);
  }

  /** A frame of the stream family from the bridge. Late ones, for exchanges that ended, are nothing. */
  take(frame: Frame): void {
    this.#exchanges.get(frame.stream)?.take(frame);
  }

  /** The link is gone, and with it what was not answered. */
  abandon(link: Link, since: number): void {
    for (const exchange of this.#exchanges.values()) {
      if (exchange.link === link) exchange.abandon(since);
    }
  }

  /** The bridge does not answer: ends what waits for a head. Answers that have begun may go on. */
  refuseWaiting(link: Link, early: Early): void {
    for (const exchange of this.#exchanges.values()) {
      if (exchange.link === link && exchange.isWaiting) exchange.cancel(early);
    }
  }

  /** Lets go of everybody whose grant is gone, however far their answers are. */
  expel(isGood: (grant: string) => boolean): void {
    for (const exchange of this.#exchanges.values()) {
      if (isGood(exchange.grant)) continue;
      exchange.cancel({ reason: "The token was revoked or has expired.", code: "unauthorized" });
    }
  }

  #forget(number: number, grant: string): void {
    this.#exchanges.delete(number);
    const left = (this.#perGrant.get(grant) ?? 1) - 1;
    if (left === 0) this.#perGrant.delete(grant);
    else this.#perGrant.set(grant, left);
  }
}
