// Owns which tickets are admitted: the list of grants from the bridge, and the check against it.
// Keeps only hashes and doors. The bridge decides what a grant may do.

import type { LinkEndedReason } from "../../protocol/codes.ts";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import type { GrantsUpdate, RoomGrant } from "../../protocol/grant.ts";
import { toRoomGrant } from "../../protocol/grant.ts";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import type { Ticket } from "../edge/token.ts";
import type { EndedGrant, Records } from "./records.ts";

/** Enough for everyone who might return with an old link; about 100 bytes each. */
const MAX_ENDED_GRANTS = 100;
/** Tolerated difference between the bridge's clock and ours. */
const CLOCK_SKEW_MS = 2_000;

export class GrantList {
  readonly #records: Pick<Records, "grants" | "endedGrants">;
  #grants: readonly RoomGrant[];
  /** Newest last. */
  #ended: readonly EndedGrant[];
  #dirty = false;
  #isEnding = false;

  constructor(records: Pick<Records, "grants" | "endedGrants">) {
    this.#records = records;
    this.#grants = records.grants.map(toRoomGrant);
    this.#ended = records.endedGrants;
  }

  /** Set while the bridge ends on purpose: grants removed from then on count as ended with it. */
  set isEnding(isEnding: boolean) {
    this.#isEnding = isEnding;
  }

  get all(): readonly RoomGrant[] {
    return this.#grants;
  }

  /** Returns false when there would be too many grants. Sockets are affected only by `settle`. */
  update(update: GrantsUpdate): boolean {
    const grants = updateGrants(this.#grants, update);
    if (grants.length > MAX_GRANTS) return false;
    // A full list lacks the grants that ended while the bridge was not connected.
    this.#rememberEnded(grants, this.#isEnding || update.replace ? "ended" : "revoked");
    this.#grants = grants;
    this.#dirty = true;
    return true;
  }

  /**
   * Drops expired grants and stores the list, if an update or an alarm requires it. Runs after all
   * frames of a message, so that a list in several frames disconnects no one in between.
   */
  settle(now: number, isDue = this.#dirty): boolean {
    if (!isDue) return false;
    this.#dirty = false;
    const remaining = this.#grants.filter((grant) => !isExpired(grant, now));
    this.#rememberEnded(remaining, "expired", now);
    this.#grants = remaining;
    this.#records.grants = this.#grants;
    if (this.#records.endedGrants !== this.#ended) this.#records.endedGrants = this.#ended;
    return true;
  }

  /** Returns how this ticket's grant ended; undefined if unknown. */
  findEnd({ grant, hash }: Ticket): LinkEndedReason | undefined {
    const found = this.#ended.findLast(({ id }) => id === grant);
    return found !== undefined && timingSafeEqual(found.hash, hash) ? found.how : undefined;
  }

  /** Returns why a connected peer's grant ended, as the close reason. */
  formatEndReason(id: string): string {
    const how = this.#ended.findLast((one) => one.id === id)?.how;
    return LINK_ENDED_REASONS[how ?? "revoked"];
  }

  /** Remembers the grants that are no longer in the list. */
  #rememberEnded(remaining: readonly RoomGrant[], how: LinkEndedReason, now = Date.now()): void {
    const ids = new Set(remaining.map(({ id }) => id));
    const removed = this.#grants.filter(({ id }) => !ids.has(id));
    if (removed.length === 0) return;
    // The bridge removes a grant the moment it expires, perhaps before our clock gets there.
    const ended = removed.map((grant) => {
      const { id, hash } = grant;
      return { id, hash, how: isExpired(grant, now + CLOCK_SKEW_MS) ? "expired" : how } as const;
    });
    this.#ended = [...this.#ended, ...ended].slice(-MAX_ENDED_GRANTS);
  }

  has(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id);
  }

  /** Whether the grant is valid and opens this door. */
  opens(id: string, door: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.doors.includes(door));
  }

  /** Whether clients with this grant may type. */
  canType(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.speaks);
  }
}

export function updateGrants(
  grants: readonly RoomGrant[],
  update: GrantsUpdate,
): readonly RoomGrant[] {
  const kept = new Map<string, RoomGrant>();
  if (!update.replace) for (const grant of grants) kept.set(grant.id, grant);
  for (const ended of update.add) kept.set(ended.id, toRoomGrant(ended));
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
  return timingSafeEqual(grant.hash, ticket.hash) ? grant : undefined;
}

export function isExpired(grant: RoomGrant, now: number): boolean {
  return grant.expiresAt !== null && grant.expiresAt <= now;
}

/** Returns Unix ms of the first expiry; undefined if no grant expires. */
export function nextExpiry(grants: readonly RoomGrant[]): number | undefined {
  const times = grants.map((grant) => grant.expiresAt).filter((at) => at !== null);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Compares in constant time, so that timing reveals nothing about the hash. */
export function timingSafeEqual(remaining: string, right: string): boolean {
  if (remaining.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < remaining.length; at++)
    difference |= remaining.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
