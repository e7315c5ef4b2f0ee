// Owns HTTP through the link: the current exchanges, the limit for each grant, and which exchange
// gets a frame. Does not know routes or rights: the caller has checked the ticket.

import type { Frame } from "../../protocol/frame.ts";
import { MAX_REQUESTS_PER_GRANT } from "../../protocol/limits.ts";
import { refuse } from "../edge/error-responses.ts";
import { readCarriedHeaders } from "../edge/room-request.ts";
import type { EarlyEnd } from "./exchange.ts";
import { Exchange } from "./exchange.ts";
import type { Link } from "./link.ts";

export class Tunnel {
  readonly #exchanges = new Map<number, Exchange>();
  readonly #perGrant = new Map<string, number>();
  readonly #nextNumber: () => number;

  constructor(nextNumber: () => number) {
    this.#nextNumber = nextNumber;
  }

  async forward(
    link: Link,
    request: Request,
    { grant, ticket }: { readonly grant: string; readonly ticket: string },
    path: string,
  ): Promise<Response> {
    const busy = this.#perGrant.get(grant) ?? 0;
    if (busy >= MAX_REQUESTS_PER_GRANT) {
      return refuse("too_many", `This token has ${busy} open requests; wait for one to end.`);
    }
    const number = this.#nextNumber();
    const { method } = request;
    const headers = readCarriedHeaders(request);
    const open = { method, path, headers, grant, ticket, at: Date.now() };
    // Counted until the client has read the last byte: an unread answer costs the room a window.
    const exchange = new Exchange(link, number, open, () => this.#forget(number, grant));
    this.#perGrant.set(grant, busy + 1);
    this.#exchanges.set(number, exchange);
    return await exchange.run(request);
  }

  /** Passes a stream frame to its exchange. Frames for ended exchanges are ignored. */
  take(frame: Frame): void {
    this.#exchanges.get(frame.stream)?.take(frame);
  }

  /** Ends the link's unanswered exchanges after it was lost. */
  abandon(link: Link, since: number): void {
    for (const exchange of this.#exchanges.values()) {
      if (exchange.link === link) exchange.abandon(since);
    }
  }

  /** Ends exchanges without a head when the bridge is silent. Others may continue. */
  refuseWaiting(link: Link, early: EarlyEnd): void {
    for (const exchange of this.#exchanges.values()) {
      if (exchange.link === link && exchange.isWaiting) exchange.cancel(early);
    }
  }

  /** Cancels every exchange whose grant ended, whatever its progress. */
  cancelRevoked(isGood: (grant: string) => boolean): void {
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
