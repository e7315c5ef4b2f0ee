// Owns who is let in: the list that the bridge sends, and the check of a ticket against it.
// Keeps hashes and doors alone. What a grant may do behind its doors is the bridge's business.

import type { GrantsUpdate, RoomGrant } from "../../protocol/grant.ts";
import { toRoomGrant } from "../../protocol/grant.ts";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import type { Ticket } from "../edge/token.ts";
import type { Records } from "./records.ts";

export class GrantList {
  readonly #records: Pick<Records, "grants">;
  #grants: readonly RoomGrant[];
  #dirty = false;

  constructor(records: Pick<Records, "grants">) {
    this.#records = records;
    this.#grants = records.grants.map(toRoomGrant);
  }

  get all(): readonly RoomGrant[] {
    return this.#grants;
  }

  /** False when there would be too many. Takes effect on sockets only with `settle`. */
  update(update: GrantsUpdate): boolean {
    const grants = updateGrants(this.#grants, update);
    if (grants.length > MAX_GRANTS) return false;
    this.#grants = grants;
    this.#dirty = true;
    return true;
  }

  /**
   * Drops what has expired and stores the list, if an update or an alarm asked for it. Called
   * after all frames of a message: a list that comes in pieces cuts nobody off in between.
   */
  settle(now: number, isDue = this.#dirty): boolean {
    if (!isDue) return false;
    this.#dirty = false;
    this.#grants = this.#grants.filter((grant) => !isExpired(grant, now));
    this.#records.grants = this.#grants;
    return true;
  }

  has(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id);
  }

  /** It is good, and opens this door. */
  opens(id: string, door: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.doors.includes(door));
  }

  /** Whoever came by it may type. */
  speaks(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.speaks);
  }
}

export function updateGrants(
  grants: readonly RoomGrant[],
  update: GrantsUpdate,
): readonly RoomGrant[] {
  const kept = new Map<string, RoomGrant>();
  if (!update.replace) for (const grant of grants) kept.set(grant.id, grant);
  for (const told of update.add) kept.set(told.id, toRoomGrant(told));
  for (const id of update.remove) kept.delete(id);
  return [...kept.values()];
}

export function findGrant(
  grants: readonly RoomGrant[],
  ticket: Ticket | undefined,
  now: number,
): RoomGrant | undefined {
  if (ticket === undefined) return undefined;
  const grant = grants.find((candidate) => candidate.id === ticket.grant);
  if (grant === undefined || isExpired(grant, now)) return undefined;
  return sameText(grant.hash, ticket.hash) ? grant : undefined;
}

export function isExpired(grant: RoomGrant, now: number): boolean {
  return grant.expiresAt !== null && grant.expiresAt <= now;
}

/** Unix ms of the first expiry, if any grant has one. */
export function nextExpiry(grants: readonly RoomGrant[]): number | undefined {
  const times = grants.map((grant) => grant.expiresAt).filter((at) => at !== null);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Takes as long for a near miss as for a wild guess. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
