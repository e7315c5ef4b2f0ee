// Owns the sessions: their ids, owners and read positions, and how long ended ones stay readable.
// Does not know callers; an owner is a name.

import { SerialQueue } from "../reading/serial-queue.ts";
import type { SessionTarget } from "./session-target.ts";

/** Ended sessions stay readable: this many, for this long. */
export const MAX_ENDED_SESSIONS = 20;
export const ENDED_SESSION_MS = 10 * 60_000;

export interface SessionOptions {
  readonly owner: string;
  readonly command: string;
  readonly target: SessionTarget;
  readonly startedAt: number;
  /** The connection it ends with, if any: an MCP session. */
  readonly connection?: object | undefined;
}

export class Session {
  readonly id: string;
  readonly number: number;
  readonly owner: string;
  readonly command: string;
  readonly target: SessionTarget;
  readonly startedAt: number;
  readonly connection: object | undefined;
  #position = 0;
  #isExitReported = false;
  /** Time of its end, Unix ms. */
  endedAt: number | undefined;
  /** Serializes reads: two at once would return the same output. */
  readonly readQueue = new SerialQueue();

  constructor(number: number, { owner, command, target, startedAt, connection }: SessionOptions) {
    this.number = number;
    this.id = `term-${number}`;
    this.owner = owner;
    this.command = command;
    this.target = target;
    this.startedAt = startedAt;
    this.connection = connection;
  }

  /** Returns the offset up to which the agent has read. */
  get position(): number {
    return this.#position;
  }

  /** Whether its exit was reported, or it was stopped; hidden from `list()` then. */
  get isExitReported(): boolean {
    return this.#isExitReported;
  }

  move(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    this.#storeProgress();
  }

  markExitReported(): void {
    if (this.#isExitReported) return;
    this.#isExitReported = true;
    this.#storeProgress();
  }

  #storeProgress(): void {
    this.target.storeProgress({ position: this.#position, isTold: this.#isExitReported });
  }
}

export interface SessionRegistryDeps {
  /** The last number in use, from an earlier run. */
  readonly last?: number;
  /** Stores a number that is used now: it is never reused, even by the next bridge. */
  readonly storeLast?: (number: number) => void;
  readonly now?: () => number;
}

export class SessionRegistry {
  readonly #storeLast: (number: number) => void;
  readonly #now: () => number;
  readonly #sessions = new Map<string, Session>();
  #last: number;

  constructor({ last = 0, storeLast = () => {}, now = Date.now }: SessionRegistryDeps = {}) {
    this.#last = last;
    this.#storeLast = storeLast;
    this.#now = now;
  }

  /** Returns the number of the next session, for callers that need it before the start. */
  nextNumber(): number {
    this.#last += 1;
    this.#storeLast(this.#last);
    return this.#last;
  }

  open(options: SessionOptions, number = this.nextNumber()): Session {
    const session = new Session(number, options);
    this.#last = Math.max(this.#last, number);
    this.#sessions.set(session.id, session);
    void options.target.finished.then(() => this.#onFinished(session));
    return session;
  }

  /** Finds a session of this owner, including recently ended ones. */
  find(owner: string, id: string): Session | undefined {
    this.#dropExpired();
    const session = this.#sessions.get(id);
    return session?.owner === owner ? session : undefined;
  }

  /** Returns the owner's running sessions, without those that are being stopped. */
  list(owner: string): Session[] {
    this.#dropExpired();
    const isActive = ({ isExitReported, target }: Session) =>
      !isExitReported && target.exit() === undefined;
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
  async end(matches: (session: Session) => boolean): Promise<void> {
    const matching = [...this.#sessions.values()].filter((session) => matches(session));
    for (const { id } of matching) this.#sessions.delete(id);
    await Promise.all(matching.map(({ target }) => target.stop()));
  }

  #onFinished(session: Session): void {
    session.endedAt = this.#now();
    this.#dropExpired();
  }

  #dropExpired(): void {
    const now = this.#now();
    const ended = [...this.#sessions.values()].filter(({ endedAt }) => endedAt !== undefined);
    ended.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
    for (const [rank, { id, endedAt = now }] of ended.entries()) {
      if (rank >= MAX_ENDED_SESSIONS || now - endedAt > ENDED_SESSION_MS) this.#sessions.delete(id);
    }
  }
}
