// Owns how grants are stored, and pure questions about one grant: which survive a takeover, expire,
// or replace each other. Keeps no list. Also owns when each session grant was last used, and which
// of them a takeover keeps: used ones before unused ones.

import * as z from "zod/mini";
import { GrantRecord } from "../../protocol/grant.ts";
import { UNNAMED_AGENT } from "../../protocol/names.ts";
import type { Grant } from "./grant-table.ts";

export const StoredGrants = z.object({ version: z.literal(1), grants: z.array(GrantRecord) });

/** Formats the durable grants for the file. */
export function toText(grants: Iterable<Grant>): string {
  const durable = [...grants].filter(({ session }) => !session);
  return `${JSON.stringify({ version: 1, grants: durable.map(toRecord) }, null, 2)}\n`;
}

/** Whether a takeover passes the grant on to the next bridge. */
export function survivesTakeover(grant: Grant): boolean {
  return grant.session && grant.connection !== true;
}

/** Whether it is a link of a first screen; other session grants belong to connections and local agents. */
export function isFirstScreens({
  session,
  connection,
  local,
  madeBy,
  device,
  expiresAt,
}: Grant): boolean {
  const isOthers = [connection, local, madeBy, device].some((mark) => mark !== undefined);
  return session && !isOthers && expiresAt === null;
}

export function isAlike(one: Grant, other: Grant): boolean {
  if (one.role !== other.role || one.own !== other.own) return false;
  const isUnnamed = (label: string) => label === "" || label.startsWith(UNNAMED_AGENT);
  return one.label === other.label || (isUnnamed(one.label) && isUnnamed(other.label));
}

export function isExpired(grant: GrantRecord, now: number): boolean {
  return grant.expiresAt !== null && grant.expiresAt <= now;
}

/** Drops fields that the durable file lacks; `#sessionRecord` adds those of session grants. */
export function toRecord({
  session: _session,
  connection: _connection,
  local: _local,
  ...record
}: Grant): GrantRecord {
  return record;
}

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
