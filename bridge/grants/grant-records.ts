// Owns how grants are stored, and pure questions about one grant: which survive a takeover, expire, or
// replace each other. Keeps no list.

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
