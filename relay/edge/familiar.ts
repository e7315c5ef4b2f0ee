// Owns whom this relay has seen let in, and how much it asks rooms about anybody else. A ticket's
// check costs a millisecond; to wake a room that never was writes a file, and waits for the disk. In
// memory alone: a relay that just began knows nobody, and learns within its limit.

import { CloseCode } from "../../protocol/codes.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";
import { closeOf } from "./refused-socket.ts";

/** A tenth of a processor, and what a relay that just began has to ask. */
const STRANGERS: RateLimit = { aSecond: 100, saved: 500 };

/** More than anybody claims; the disk holds everybody up for each. */
const NEW_ROOMS: RateLimit = { aSecond: 4, saved: 16 };

/** Some 100 bytes each; the one that was let in longest ago is forgotten. */
const MAX_KNOWN = 10_000;

export class Familiar {
  readonly #rate: Rate;
  readonly #newRooms: Rate;
  readonly #tickets = new Set<string>();

  constructor(now: number) {
    this.#rate = new Rate(STRANGERS, now);
    this.#newRooms = new Rate(NEW_ROOMS, now);
  }

  /** Whether the room is asked. `hash` of the ticket, if there is one. */
  mayAsk(workspace: string, hash: string | undefined, now: number): boolean {
    const isKnown = hash !== undefined && this.#tickets.has(workspace + hash);
    return isKnown || this.#rate.mayTake(now);
  }

  /** Whether a room that never was is woken, for a bridge that may claim it. */
  mayWake(now: number): boolean {
    return this.#newRooms.mayTake(now);
  }

  /** Learns from what the room answered. */
  heard(workspace: string, hash: string, answer: Response): Response {
    const close = closeOf(answer);
    const ticket = workspace + hash;
    this.#tickets.delete(ticket);
    if (close === CloseCode.noSuchWorkspace || close === CloseCode.unauthorized) return answer;
    this.#tickets.add(ticket);
    const [oldest] = this.#tickets;
    if (oldest !== undefined && this.#tickets.size > MAX_KNOWN) this.#tickets.delete(oldest);
    return answer;
  }
}
