// Owns which tickets this relay has seen admitted, and the rate limit for requests to rooms with
// any other. Checking a ticket costs a millisecond; waking a room that never existed writes a file
// and waits for the disk. Kept in memory only: a restarted relay relearns it within its limit.

import { CloseCode } from "../../protocol/codes.ts";
import type { RateLimit } from "../rate-limiter.ts";
import { RateLimiter } from "../rate-limiter.ts";
import { findCloseCode } from "./error-responses.ts";

/**
 * Uses at most a tenth of a processor; the burst covers all clients of a relay that just started.
 */
const STRANGERS: RateLimit = { aSecond: 100, saved: 500 };

/** More than people ever claim; each new room blocks the relay on its disk. */
const NEW_ROOMS: RateLimit = { aSecond: 4, saved: 16 };

/** About 100 bytes each; the ticket that was admitted longest ago is dropped. */
const MAX_KNOWN = 10_000;

export class KnownTokens {
  readonly #requests: RateLimiter;
  readonly #newRooms: RateLimiter;
  readonly #tickets = new Set<string>();

  constructor(now: number) {
    this.#requests = new RateLimiter(STRANGERS, now);
    this.#newRooms = new RateLimiter(NEW_ROOMS, now);
  }

  /** Returns whether the request may reach the room. `hash` is the ticket's, if there is one. */
  allowsRequest(workspace: string, hash: string | undefined, now: number): boolean {
    const isKnown = hash !== undefined && this.#tickets.has(workspace + hash);
    return isKnown || this.#requests.tryTake(now);
  }

  /** Returns whether a bridge may wake a room that never existed, in order to claim it. */
  allowsNewRoom(now: number): boolean {
    return this.#newRooms.tryTake(now);
  }

  /** Remembers or drops a ticket by the room's answer, and returns that answer. */
  recordAnswer(workspace: string, hash: string, answer: Response): Response {
    const close = findCloseCode(answer);
    const ticket = workspace + hash;
    this.#tickets.delete(ticket);
    if (close === CloseCode.noSuchWorkspace || close === CloseCode.unauthorized) return answer;
    this.#tickets.add(ticket);
    const [oldest] = this.#tickets;
    if (oldest !== undefined && this.#tickets.size > MAX_KNOWN) this.#tickets.delete(oldest);
    return answer;
  }
}
