// Owns which sessions there are: their ids, whose they are, how far each has been read, and how long
// one that is over stays readable. Knows no caller; an owner is a name.

import { OneByOne } from "../reading/one-by-one.ts";
import type { Live } from "./live.ts";

/** Sessions that are over stay readable: this many, this long. */
export const OVER_KEPT = 20;
export const OVER_MS = 10 * 60_000;

export interface SessionWish {
  readonly owner: string;
  readonly command: string;
  readonly live: Live;
  readonly startedAt: number;
  /** What it was started by, if it ends with that: an MCP session. */
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
  /** When it ended. */
  overAt: number | undefined;
  /** One answer at a time takes output, or two would give the same. */
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

  /** Output before it was given to the agent. */
  get position(): number {
    return this.#position;
  }

  /** Its end was told, or it was stopped: it is in no list any more. */
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
  /** The last number that was given before. */
  readonly last?: number;
  /** A number is given: it is not given again, whatever becomes of this bridge. */
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

  /** The number of the next one; what is to begin may have to know it. */
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

  /** The owner's own, also one that is over, for a while. */
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

  /** It is somebody else's from now on. */
  drop({ id }: Session): void {
    this.#sessions.delete(id);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Ends those, whoever is in the middle of a call. */
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
