// Owns whom this relay has seen let in, and how much it asks rooms about anybody else. A room that is
// woken costs 5 ms and a file, a ticket's check 1 ms; the answer "no" from memory a tenth of that. In
// memory alone: a relay that just began knows nobody, and learns within its limit.

import { CloseCode } from "../../protocol/codes.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";
import { closeOf } from "./refused-socket.ts";

/** In milliseconds of work: a tenth of a processor, and what a relay that just began has to ask. */
const STRANGERS: RateLimit = { aSecond: 100, saved: 500 };
const CHECK_COST = 1;
const WAKE_COST = 5;

/** Some 100 bytes each; the one that was let in longest ago is forgotten. */
const MAX_KNOWN = 10_000;

export class Familiar {
  readonly #rate: Rate;
  readonly #rooms = new Set<string>();
  readonly #tickets = new Set<string>();

  constructor(now: number) {
    this.#rate = new Rate(STRANGERS, now);
  }

  /** Whether the room is asked at all. `hash` of the ticket, if there is one. */
  mayAsk(workspace: string, hash: string | undefined, now: number): boolean {
    const isRoom = this.#rooms.has(workspace);
    if (isRoom && hash !== undefined && this.#tickets.has(workspace + hash)) return true;
    return this.#rate.mayTake(now, isRoom ? CHECK_COST : WAKE_COST);
  }

  /** Learns from what the room answered. */
  heard(workspace: string, hash: string, answer: Response): Response {
    const close = closeOf(answer);
    const isGood = close !== CloseCode.noSuchWorkspace && close !== CloseCode.unauthorized;
    if (close === CloseCode.noSuchWorkspace) this.#rooms.delete(workspace);
    else this.learn(workspace);
    if (isGood) keep(this.#tickets, workspace + hash);
    else this.#tickets.delete(workspace + hash);
    return answer;
  }

  /** This room is claimed. */
  learn(workspace: string): void {
    keep(this.#rooms, workspace);
  }
}

function keep(known: Set<string>, one: string): void {
  known.delete(one);
  known.add(one);
  const [oldest] = known;
  if (oldest !== undefined && known.size > MAX_KNOWN) known.delete(oldest);
}
