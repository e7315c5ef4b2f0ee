// Owns when each session grant was last used, and which of them a takeover keeps: used ones before
// unused ones.

import * as z from "zod/mini";
import { GrantRecord } from "../../protocol/grant.ts";

/** A session grant as a bridge stores it with the pty host. */
export const SessionRecord = z.extend(GrantRecord, {
  /** Unix ms of the last use, to the minute; absent before the first. */
  usedAt: z.optional(z.int()),
  /** Name of a local agent. */
  local: z.optional(z.string()),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** Every takeover adds three banner links; this many unused ones are kept. */
const UNUSED_KEPT = 12;
/** Used grants kept, by last use; the rest of the limit stays free for new links. */
const USED_KEPT = 36;

/** Precision of the pty host's copy: one message a minute instead of one per keystroke. */
const REPORT_INTERVAL_MS = 60_000;

export class GrantUses {
  readonly #usedBefore = new Map<string, number>();
  readonly #usedAt = new Map<string, number>();

  /** Records a use under an earlier bridge. */
  adopt(id: string, usedAt: number): void {
    this.#usedBefore.set(id, usedAt);
  }

  /** True on the first use under this bridge, and on the first after a minute. */
  recordUse(id: string, now: number): boolean {
    const last = this.#usedAt.get(id);
    if (last !== undefined && now - last < REPORT_INTERVAL_MS) return false;
    this.#usedAt.set(id, now);
    return true;
  }

  getLastUse(id: string): number | undefined {
    return this.#usedAt.get(id) ?? this.#usedBefore.get(id);
  }

  forget(id: string): void {
    this.#usedBefore.delete(id);
    this.#usedAt.delete(id);
  }
}

/** Returns the records that a takeover keeps, in order of creation. */
export function selectKeptRecords(records: readonly SessionRecord[]): SessionRecord[] {
  const unused = records.filter(({ usedAt }) => usedAt === undefined).slice(-UNUSED_KEPT);
  const used = records
    .filter(({ usedAt }) => usedAt !== undefined)
    .toSorted((a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0))
    .slice(0, USED_KEPT);
  const kept = new Set([...unused, ...used]);
  return records.filter((record) => kept.has(record));
}
