// Owns the rate at which one caller may send the messages of a dialect that has a limit: those that
// the bridge then broadcasts. Counted by socket, not by person: two pages of one browser reconnect
// at the same time, each with its own messages, and the room limits a link's sockets [R34].

import type { Caller } from "./caller.ts";

/** A dialect's limit for each caller: a bucket of messages that refills over time. */
export interface MessageLimit {
  /** Messages saved up at most. */
  readonly burst: number;
  readonly perSecond: number;
  /** Types that do not count. */
  readonly except?: readonly string[];
}

/** Error text for a caller that sends more. */
export const TOO_MANY_MESSAGES = "Too many messages; wait a moment";

export class MessageRate {
  readonly #now: () => number;
  /** By limit, so that one dialect's messages do not use up another's allowance. */
  readonly #budgets = new WeakMap<MessageLimit, WeakMap<Caller, { left: number; at: number }>>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Takes a message of this type from the caller's budget; returns false when it is empty. */
  tryTake(caller: Caller, limit: MessageLimit | undefined, type: string): boolean {
    if (limit === undefined || limit.except?.includes(type) === true) return true;
    const { burst, perSecond } = limit;
    const now = this.#now();
    const budgets = this.#budgets.get(limit) ?? new WeakMap<Caller, { left: number; at: number }>();
    this.#budgets.set(limit, budgets);
    const { left, at } = budgets.get(caller) ?? { left: burst, at: now };
    const available = Math.min(burst, left + ((now - at) / 1_000) * perSecond);
    budgets.set(caller, { left: Math.max(0, available - 1), at: now });
    return available >= 1;
  }
}
