// Owns the sessions: their ids, owners and read positions, and how long ended ones stay readable.
// Does not know callers; an owner is a name.

import { OneByOne } from "../reading/one-by-one.ts";
import type { Live } from "./live.ts";

/** Ended sessions stay readable: this many, for this long. */
export const OVER_KEPT = 20;
export const OVER_MS = 10 * 60_000;

export interface SessionWish {
  readonly owner: string;
  readonly command: string;
  readonly live: Live;
  readonly startedAt: number;
  /** The connection it ends with, if any: an MCP session. */
  readonly through?: object | undefined;
}

export class Session {
  readonly id: string;
  readonly number: number;
  readonly owner: string;
  readonly command: string;
  readonly live: Live;
  readonly startedAt: number;
  readonly through: object | undefined;
  #position = 0;
  #isTold = false;
  /** Time of its end, Unix ms. */
  overAt: number | undefined;
  /** Serializes reads: two at once would return the same output. */
  readonly reading = new OneByOne();

  constructor(number: number, { owner, command, live, startedAt, through }: SessionWish) {
    this.number = number;
    this.id = `term-${number}`;
    this.owner = owner;
    this.command = command;
    this.live = live;
    this.startedAt = startedAt;
    this.through = through;
  }

  /** Returns the offset up to which the agent has read. */
  get position(): number {
    return this.#position;
  }

  /** Whether its exit was reported, or it was stopped; hidden from `list()` then. */
  get isTold(): boolean {
    return this.#isTold;
  }

  move(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    this.#keep();
  }

  tellEnd(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#keep();
  }

  #keep(): void {
    this.live.keep({ position: this.#position, isTold: this.#isTold });
  }
}

export interface BookParts {
  /** The last number in use, from an earlier run. */
  readonly last?: number;
  /** Stores a number that is used now: it is never reused, even by the next bridge. */
  readonly keepLast?: (number: number) => void;
  readonly now?: () => number;
}

export class SessionBook {
  readonly #keepLast: (number: number) => void;
  readonly #now: () => number;
  readonly #sessions = new Map<string, Session>();
  #last: number;

  constructor({ last = 0, keepLast = () => {}, now = Date.now }: BookParts = {}) {
    this.#last = last;
    this.#keepLast = keepLast;
    this.#now = now;
  }

  /** Returns the number of the next session, for callers that need it before the start. */
  nextNumber(): number {
    this.#last += 1;
    this.#keepLast(this.#last);
    return this.#last;
  }

  open(wish: SessionWish, number = this.nextNumber()): Session {
    const session = new Session(number, wish);
    this.#last = Math.max(this.#last, number);
    this.#sessions.set(session.id, session);
    void wish.live.finished.then(() => this.#over(session));
    return session;
  }

  /** Finds a session of this owner, including recently ended ones. */
  find(owner: string, id: string): Session | undefined {
    this.#forget();
    const session = this.#sessions.get(id);
    return session?.owner === owner ? session : undefined;
  }

  /** Returns the owner's running sessions, without those that are being stopped. */
  list(owner: string): Session[] {
    this.#forget();
    const isActive = ({ isTold, live }: Session) => !isTold && live.exit() === undefined;
    return [...this.#sessions.values()].filter((one) => one.owner === owner && isActive(one));
  }

  /** Removes a session that no longer belongs to its owner. */
  drop({ id }: Session): void {
    this.#sessions.delete(id);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Stops the matching sessions, even during a call. */
  async end(isMeant: (session: Session) => boolean): Promise<void> {
    const meant = [...this.#sessions.values()].filter((session) => isMeant(session));
    for (const { id } of meant) this.#sessions.delete(id);
    await Promise.all(meant.map(({ live }) => live.stop()));
  }

  #over(session: Session): void {
    session.overAt = this.#now();
    this.#forget();
  }

  #forget(): void {
    const now = this.#now();
    const over = [...this.#sessions.values()].filter(({ overAt }) => overAt !== undefined);
    over.sort((a, b) => (b.overAt ?? 0) - (a.overAt ?? 0));
    for (const [rank, { id, overAt = now }] of over.entries()) {
      if (rank >= OVER_KEPT || now - overAt > OVER_MS) this.#sessions.delete(id);
    }
  }
}
