// Owns who used a session grant and when, and which of them the next bridge takes over: what
// somebody uses outlives what nobody does.

import * as z from "zod/mini";
import { GrantRecord } from "../../protocol/grant.ts";

/** As a bridge leaves it with the pty host. */
export const SessionRecord = z.extend(GrantRecord, {
  /** Unix ms of its last use, to the minute; absent before the first. */
  usedAt: z.optional(z.int()),
  /** Of an agent on this machine: its name. */
  local: z.optional(z.string()),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** Every takeover adds three banner links; of those that nobody came by, so many are kept. */
const UNUSED_KEPT = 12;
/** And so many that somebody came by, by their last use: the places of others stay free. */
const USED_KEPT = 36;

/** How exact the pty host's knowledge is: a message a minute, not one for every keystroke. */
const TOLD_EVERY_MS = 60_000;

export class Uses {
  readonly #before = new Map<string, number>();
  readonly #usedAt = new Map<string, number>();

  /** Under a bridge of before. */
  adopt(id: string, usedAt: number): void {
    this.#before.set(id, usedAt);
  }

  /** True when it is news: the first use under this bridge, or the first in a minute. */
  used(id: string, now: number): boolean {
    const last = this.#usedAt.get(id);
    if (last !== undefined && now - last < TOLD_EVERY_MS) return false;
    this.#usedAt.set(id, now);
    return true;
  }

  of(id: string): number | undefined {
    return this.#usedAt.get(id) ?? this.#before.get(id);
  }

  forget(id: string): void {
    this.#before.delete(id);
    this.#usedAt.delete(id);
  }
}

/** Those that a takeover keeps, in the order in which they were made. */
export function worthKeeping(records: readonly SessionRecord[]): SessionRecord[] {
  const unused = records.filter(({ usedAt }) => usedAt === undefined).slice(-UNUSED_KEPT);
  const used = records
    .filter(({ usedAt }) => usedAt !== undefined)
    .toSorted((a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0))
    .slice(0, USED_KEPT);
  const kept = new Set([...unused, ...used]);
  return records.filter((record) => kept.has(record));
}
